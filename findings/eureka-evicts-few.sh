#!/usr/bin/env bash
# Eureka server 2.0.6, in Spring Cloud Netflix 5.0.3 (Spring Boot 4.1.2), self-preservation off.
# Guess: each eviction run removes every instance whose lease has expired; what keeps dead instances in the registry is
# self-preservation, and it is off.
# What happens: a run removes at most 15 % of the registry, rounded up (what renewal-percent-threshold leaves), picked
# at random. Of ten instances that have all expired the runs remove 2, 2, 1, 1, 1, 1, 1, 1: with the usual minute
# between runs the last is gone after eight minutes. With renewal-percent-threshold=0 one run removes all.
# Why it matters: two of three instances that crash together are not gone together. Tests of discovery crash one
# instance, and one goes in one run.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries bom=org.springframework.boot:spring-boot-dependencies:4.1.2 \
  org.springframework.cloud:spring-cloud-starter-netflix-eureka-server:5.0.3

cat > EvictsFew.java <<'END'
import java.io.*;
import java.net.URI;
import java.net.http.*;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import org.springframework.boot.*;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.netflix.eureka.server.EnableEurekaServer;

@EnableAutoConfiguration
@EnableEurekaServer
public class EvictsFew extends Finding {

  static final int INSTANCES = 10;

  static final Pattern RUN = Pattern.compile("Evicting (\\d+) items \\(expired=(\\d+)");

  static final String INSTANCE =
      """
      {"instance": {"instanceId": "ID", "hostName": "host", "app": "SHOP", "ipAddr": "127.0.0.1", "status": "UP",
        "port": {"$": 80, "@enabled": "true"}, "leaseInfo": {"renewalIntervalInSecs": 1, "durationInSecs": 15},
        "dataCenterInfo": {"@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", "name": "MyOwn"}}}
      """;

  /** How many instances each run removed, after all had expired. */
  static List<Integer> removed(String... more) throws Exception {
    var log = Path.of("log" + more.length);
    var out = System.out;
    System.setOut(new PrintStream(log.toFile()));
    var settings = new ArrayList<>(List.of(more));
    settings.addAll(
        List.of(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--eureka.client.register-with-eureka=false",
            "--eureka.client.fetch-registry=false",
            "--eureka.server.enable-self-preservation=false",
            "--eureka.server.eviction-interval-timer-in-ms=1000"));
    try (var server = new SpringApplication(EvictsFew.class).run(settings.toArray(String[]::new))) {
      var port = server.getEnvironment().getProperty("local.server.port");
      var address = "http://127.0.0.1:%s/eureka/apps/SHOP".formatted(port);
      for (int instance = 0; instance < INSTANCES; instance++) {
        var registration =
            HttpRequest.newBuilder(URI.create(address))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(INSTANCE.replace("ID", "instance" + instance)))
                .build();
        var status = HttpClient.newHttpClient().send(registration, HttpResponse.BodyHandlers.discarding()).statusCode();
        expect(status == 204, "an instance registers");
      }
      for (int second = 0; second < 90; second++) {
        Thread.sleep(1000);
        var removed = new ArrayList<Integer>();
        RUN.matcher(Files.readString(log)).results().forEach(run -> removed.add(Integer.valueOf(run.group(1))));
        if (removed.stream().mapToInt(Integer::intValue).sum() == INSTANCES) {
          return removed;
        }
      }
      throw new IllegalStateException("instances are left");
    } finally {
      System.setOut(out);
    }
  }

  public static void main(String[] arguments) throws Exception {
    var asItIs = removed();
    System.out.println("10 expired instances, self-preservation off; removed by run: " + asItIs);
    var withoutThreshold = removed("--eureka.server.renewal-percent-threshold=0");
    System.out.println("with renewal-percent-threshold=0: " + withoutThreshold);
    expect(asItIs.size() == 8 && Collections.max(asItIs) == 2, "a run removes at most 15 %");
    expect(withoutThreshold.size() < 4, "the threshold decides");
    System.exit(0);
  }
}
END
run_java EvictsFew
