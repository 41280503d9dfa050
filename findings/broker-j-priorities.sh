#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a queue with x-qpid-priorities 3 has three bands of about equal width (0 to 3, 4 to 6, 7 to 9), and a
# message without a priority is in the middle or has AMQP's default.
# What happens: the bands are 0 to 3, 4 alone, and 5 to 9; a message without a priority is in the lowest.
# Why it matters: of traffic with priorities 5 to 9 nothing overtakes anything: "urgent" (9) waits behind 5, and
# an experiment with priorities measures a plain queue.
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

cat > Priorities.java <<'END'
import com.rabbitmq.client.*;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.*;
import java.util.*;
import org.apache.qpid.server.SystemLauncher;

public class Priorities {
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
    var levels = Map.<String, Object>of("x-qpid-priorities", 3);
    channel.queueDeclare("levels", false, false, false, levels);
    for (int priority = 0; priority <= 9; priority++) {
      var properties = new AMQP.BasicProperties.Builder().priority(priority).build();
      channel.basicPublish("", "levels", properties, String.valueOf(priority).getBytes());
      if (priority == 0) {
        channel.basicPublish("", "levels", null, "none".getBytes());
      }
    }
    var order = drain(channel, "levels");
    System.out.println("sent 0, without, 1, 2 ... 9; delivered " + order);
    expect(
        order.equals(List.of("5", "6", "7", "8", "9", "4", "0", "none", "1", "2", "3")),
        "three levels are 5 to 9, 4, and 0 to 3 with those that have none");
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
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*' Priorities.java
