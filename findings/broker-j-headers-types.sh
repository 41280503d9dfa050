#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a headers exchange compares numbers by value, so that a binding with shard = 1 takes messages with
# shard = 1; a binding with x-match any and nothing to match takes nothing.
# What happens: a binding with a long 1 does not take a message with an int 1, nor the other way round (clients
# choose the width: Java by the type, others by the value). "any" of nothing takes every message.
# Why it matters: whether a message reaches a service depends on the type that its sender's language gave to a
# number. Nothing is refused or logged, and a publisher confirm comes all the same.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > HeadersTypes.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class HeadersTypes extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
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
}
END
run_java HeadersTypes BrokerJ
