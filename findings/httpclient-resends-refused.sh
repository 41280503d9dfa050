#!/usr/bin/env bash
# Apache HttpClient 5.5.1 as HttpClients.createDefault() makes it.
# Guess: an answer is handed to the caller, whatever its status. What is repeated without being told are requests whose
# connection failed, and of these the idempotent ones.
# What happens: 503 and 429 are sent a second time, POST included, after a second, or after as long as Retry-After
# says, while the caller waits. It sees the second answer alone.
# Why it matters: a service that refuses what is too much for it gets up to twice as much, its quick refusals last a
# second for the caller, and a count of refusals at the client is half of the server's.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries org.apache.httpcomponents.client5:httpclient5:5.5.1 org.slf4j:slf4j-nop:1.7.36

cat > Refused.java <<'END'
import com.sun.net.httpserver.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.apache.hc.client5.http.classic.methods.*;
import org.apache.hc.client5.http.impl.classic.*;
import org.apache.hc.core5.http.*;
import org.apache.hc.core5.http.io.entity.*;

public class Refused extends Finding {
  public static void main(String[] arguments) throws Exception {
    var requests = new AtomicInteger();
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.getRequestBody().readAllBytes();
          var parts = exchange.getRequestURI().getPath().split("/");
          if (parts.length > 2) {
            exchange.getResponseHeaders().add("Retry-After", parts[2]);
          }
          exchange.sendResponseHeaders(Integer.parseInt(parts[1]), -1);
          exchange.close();
        });
    server.start();
    try (var client = HttpClients.createDefault()) {
      post(client, server, requests, "500", 1, 0);
      post(client, server, requests, "503", 2, 1000);
      post(client, server, requests, "429", 2, 1000);
      post(client, server, requests, "503/3", 2, 3000);
    }
    System.exit(0);
  }

  static void post(
      CloseableHttpClient client, HttpServer server, AtomicInteger requests, String path, int times, int milliseconds)
      throws Exception {
    var request = new HttpPost("http://127.0.0.1:" + server.getAddress().getPort() + "/" + path);
    request.setEntity(new StringEntity("{}"));
    requests.set(0);
    long start = System.nanoTime();
    int status = client.execute(request, HttpResponse::getCode);
    long took = (System.nanoTime() - start) / 1_000_000;
    System.out.printf("one POST, /%s: status %d, %d requests received, %d ms%n", path, status, requests.get(), took);
    expect(requests.get() == times, times + " requests are received");
    expect(took >= 0.98 * milliseconds, "the caller waits " + milliseconds + " ms");
  }
}
END
run_java Refused
