#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a headers exchange compares numbers by value, so that a binding with shard = 1 takes messages with
# shard = 1; a binding with x-match any and nothing to match takes nothing.
# What happens: a binding with a long 1 does not take a message with an int 1, nor the other way round (clients
# choose the width: Java by the type, others by the value). "any" of nothing takes every message.
# Why it matters: whether a message reaches a service depends on the type that its sender's language gave to a
# number. Nothing is refused or logged, and a publisher confirm comes all the same.
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

cat > HeadersTypes.java <<'END'
import com.rabbitmq.client.*;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.*;
import java.util.*;
import org.apache.qpid.server.SystemLauncher;

public class HeadersTypes {
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
    channel.exchangeDeclare("shards", "headers");
    var bindings = new LinkedHashMap<String, Map<String, Object>>();
    bindings.put("int", Map.of("x-match", "all", "shard", 1));
    bindings.put("long", Map.of("x-match", "all", "shard", 1L));
    bindings.put("any of nothing", Map.of("x-match", "any"));
    for (var binding : bindings.entrySet()) {
      channel.queueDeclare(binding.getKey(), false, false, false, null);
      channel.queueBind(binding.getKey(), "shards", "", binding.getValue());
    }
    for (Object shard : new Object[] {1, 1L}) {
      var headers = new AMQP.BasicProperties.Builder().headers(Map.of("shard", shard)).build();
      channel.basicPublish("shards", "", headers, shard.getClass().getSimpleName().getBytes());
    }
    var taken = new LinkedHashMap<String, List<String>>();
    for (var queue : bindings.keySet()) {
      taken.put(queue, drain(channel, queue));
    }
    System.out.println("sent shard = 1 as Integer and as Long; each binding took " + taken);
    expect(taken.get("int").equals(List.of("Integer")), "an int is not a long");
    expect(taken.get("long").equals(List.of("Long")), "a long is not an int");
    expect(taken.get("any of nothing").size() == 2, "any of nothing takes everything");
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
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*' HeadersTypes.java
