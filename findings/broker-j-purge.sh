#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: purging a queue drops what waits in it and counts that, as RabbitMQ does. A message that a consumer holds
# without having acknowledged it stays, and comes back when it is put back.
# What happens: the message that is held is purged and counted as well: 5 of 5, and after nack with requeue the
# queue is empty. The consumer's channel tells nothing.
# Why it matters: a purge between two measurements, or of a queue of dead letters, takes work that a service has
# in its hands: if that service fails then, the message is lost in spite of its acknowledgement mode.
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

cat > Purge.java <<'END'
import com.rabbitmq.client.*;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.*;
import java.util.*;
import org.apache.qpid.server.SystemLauncher;

public class Purge {
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
    for (int number = 1; number <= 5; number++) {
      channel.basicPublish("", "q", null, String.valueOf(number).getBytes());
    }
    var held = channel.basicGet("q", false);
    int purged = channel.queuePurge("q").getMessageCount();
    channel.basicNack(held.getEnvelope().getDeliveryTag(), false, true);
    long left = channel.messageCount("q");
    var again = drain(channel, "q");
    System.out.printf(
        "5 sent, 1 of them held by a consumer: %d purged; after it was put back: %d left, %s%n",
        purged, left, again);
    expect(purged == 5, "a purge counts what a consumer holds");
    expect(left == 0 && again.isEmpty(), "what was held is gone after it was put back");
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
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*' Purge.java
