#!/usr/bin/env bash
# Spring Cloud Gateway 5.0.4 (WebFlux; Spring Boot 4.0.7), the filter LocalResponseCache.
# Guess: an answer whose Cache-Control has no-store or private is not kept, as its documentation says. That is what
# Spring Security adds to every answer: "no-cache, no-store, max-age=0, must-revalidate".
# What happens: that answer is kept for the five minutes of the filter, and reaches the client as "max-age=300". The
# filter compares the whole line with "no-store" and "private": alone each is obeyed, with another directive in the
# line neither is. The new max-age is that of the filter, and removes no-cache, no-store and must-revalidate.
# Why it matters: seats that are sold, a balance and a form's token are shown as they were, by the gateway and by the
# browser. A test with "Cache-Control: no-store" passes.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries bom=org.springframework.boot:spring-boot-dependencies:4.0.7 \
  bom=org.springframework.cloud:spring-cloud-dependencies:2025.1.4 \
  org.springframework.cloud:spring-cloud-starter-gateway-server-webflux:5.0.4 \
  org.springframework.boot:spring-boot-starter-cache:4.0.7 com.github.ben-manes.caffeine:caffeine:3.2.4

cat > KeepsNoStore.java <<'END'
import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.factory.cache.ResponseCacheManager;

@EnableAutoConfiguration
public class KeepsNoStore extends Finding {

  static final HttpClient CLIENT = HttpClient.newHttpClient();

  static final AtomicInteger reached = new AtomicInteger();

  static volatile String cacheControl;

  static int gateway;

  static void check(String sent, int expected, String expectedHeader) throws Exception {
    cacheControl = sent;
    reached.set(0);
    var url = URI.create("http://127.0.0.1:" + gateway + "/" + Integer.toHexString(sent.hashCode()));
    String received = null;
    for (int request = 0; request < 3; request++) {
      var answer = CLIENT.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString());
      received = String.join(", ", answer.headers().allValues("Cache-Control"));
    }
    System.out.printf("3 requests, [%s]: %d reached the service, the client has [%s]%n", sent, reached.get(), received);
    expect(reached.get() == expected && received.matches(expectedHeader), expected + " reach the service");
  }

  public static void main(String[] arguments) throws Exception {
    var service = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    service.createContext(
        "/",
        exchange -> {
          reached.incrementAndGet();
          exchange.getResponseHeaders().add("Cache-Control", cacheControl);
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("ok".getBytes());
          exchange.close();
        });
    service.start();
    var out = System.out;
    System.setOut(new PrintStream("gateway.log"));
    var prefix = "--spring.cloud.gateway.server.webflux.";
    var application =
        new SpringApplication(KeepsNoStore.class)
            .run(
                "--server.port=0",
                "--server.address=127.0.0.1",
                prefix + "filter.local-response-cache.enabled=true",
                prefix + "routes[0].id=service",
                prefix + "routes[0].uri=http://127.0.0.1:" + service.getAddress().getPort(),
                prefix + "routes[0].predicates[0]=Path=/**",
                prefix + "routes[0].filters[0]=LocalResponseCache=5m");
    System.setOut(out);
    System.out.println("Spring Cloud Gateway " + ResponseCacheManager.class.getPackage().getImplementationVersion());
    gateway = application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    check("no-store", 3, "no-store");
    check("private", 3, "private");
    check("no-cache, no-store, max-age=0, must-revalidate", 1, "max-age=(29\\d|300)");
    check("private, max-age=60", 1, "private, ?max-age=(29\\d|300)");
    check("max-age=60", 1, "max-age=(29\\d|300)");
    System.exit(0);
  }
}
END
run_java KeepsNoStore
