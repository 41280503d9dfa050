#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: acknowledging a message twice, or one that was never delivered, closes the channel with 406
# PRECONDITION_FAILED, as RabbitMQ does and clients are written for.
# What happens: nothing. The channel stays open, and a nack with requeue after an ack is ignored as well.
# Why it matters: a listener that acknowledges twice passes every test here, and on RabbitMQ loses its channel
# at each message: all that was prefetched comes again, which looks like a slow broker.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > pom.xml <<'END'
<project>
<modelVersion>4.0.0</modelVersion>
<groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
<dependencies>
<dependency><groupId>org.apache.qpid</groupId><artifactId>qpid-broker-core</artifactId><version>10.1.0</version></dependency>
<dependency><groupId>org.apache.qpid</groupId><artifactId>qpid-broker-plugins-amqp-0-8-protocol</artifactId><version>10.1.0</version></dependency>
<dependency><groupId>org.apache.qpid</groupId><artifactId>qpid-broker-plugins-memory-store</artifactId><version>10.1.0</version></dependency>
<dependency><groupId>com.rabbitmq</groupId><artifactId>amqp-client</artifactId><version>5.28.0</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version></dependency>
</dependencies>
</project>
END
mvn -B -ntp -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
  -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 1; }

cat > AcknowledgeTwice.java <<'END'
import com.rabbitmq.client.*;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.*;
import java.util.*;
import org.apache.qpid.server.SystemLauncher;

public class AcknowledgeTwice {
  static final String BROKER =
      """
      {"name": "broker", "modelVersion": "9.1",
       "authenticationproviders": [{"name": "plain", "type": "Plain", "secureOnlyMechanisms": [],
         "users": [{"name": "guest", "type": "managed", "password": "guest"}]}],
       "ports": [{"name": "amqp", "type": "AMQP", "bindingAddress": "127.0.0.1", "port": "PORT",
         "authenticationProvider": "plain", "protocols": ["AMQP_0_9_1"], "transports": ["TCP"],
         "virtualhostaliases": [{"name": "default", "type": "defaultAlias"}]}],
       "virtualhostnodes": [{"name": "default", "type": "Memory", "defaultVirtualHostNode": true,
         "virtualHostInitialConfiguration": "{\\"type\\": \\"Memory\\"}"}]}
      """;

  public static void main(String[] arguments) throws Exception {
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Files.writeString(Path.of("broker.json"), BROKER.replace("PORT", String.valueOf(port)));
    var out = System.out;
    System.setOut(new PrintStream("broker.log"));
    new SystemLauncher()
        .startup(
            Map.of(
                "type", "Memory",
                "startupLoggedToSystemOut", false,
                "initialConfigurationLocation", "broker.json",
                "context", Map.of("qpid.work_dir", "work")));
    System.setOut(out);
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(port);
    factory.setAutomaticRecoveryEnabled(false);
    var connection = factory.newConnection();
    var channel = connection.createChannel();
    channel.queueDeclare("q", false, false, false, null);
    for (int number = 1; number <= 2; number++) {
      channel.basicPublish("", "q", null, String.valueOf(number).getBytes());
    }
    long tag = channel.basicGet("q", false).getEnvelope().getDeliveryTag();
    channel.basicAck(tag, false);
    channel.basicAck(tag, false);
    channel.basicNack(tag, false, true);
    channel.basicAck(4711, false);
    // A call with an answer: what was refused before it would have closed the channel.
    long left = channel.messageCount("q");
    System.out.printf(
        "acknowledged one message twice, put it back, acknowledged number 4711: channel open %s, %d message left%n",
        channel.isOpen(), left);
    expect(channel.isOpen(), "the channel stays open");
    expect(left == 1, "the second ack and the nack have no effect");
    System.exit(0);
  }

  static void expect(boolean asStated, String what) {
    if (!asStated) {
      System.out.println("NO LONGER SO: " + what);
      System.exit(1);
    }
  }

  /** Takes and acknowledges all messages, in the order in which they come. */
  static List<String> drain(Channel channel, String queue) throws Exception {
    var bodies = new ArrayList<String>();
    for (GetResponse next; (next = channel.basicGet(queue, true)) != null; ) {
      bodies.add(new String(next.getBody()));
    }
    return bodies;
  }
}
END
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*' AcknowledgeTwice.java
