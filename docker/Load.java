import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Lists and reserves in a closed loop, and looks at metrics now and then, to train the JVMs of a
 * variant: {@code java Load RESERVATION-PATH METRICS-PORT...}. Fails when hardly any operation
 * succeeds.
 */
final class Load {

  private static final int USERS = 16;

  /** Enough to load the classes of each request. */
  private static final int OPERATIONS = 500;

  private static final Duration AT_MOST = Duration.ofMinutes(1);
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final String CREDENTIALS =
      Base64.getEncoder().encodeToString(System.getenv("ACCESS_USERS").getBytes(UTF_8));
  private static final URI FRONT = URI.create("http://127.0.0.1:8099");
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final String RESERVATION =
      """
      {"clientName": "Jane Doe", "clientEmail": "jane.doe@ucd.ie", "movieId": "CNW001",
       "date": "2022-04-15", "showTime": "18:00", "tickets": 2, "ticketType": "Gold", "amount": 30.00}
      """;

  public static void main(String... arguments) {
    var end = Instant.now().plus(AT_MOST);
    var list = to(FRONT.resolve("/api/movie/list")).build();
    var reserve =
        to(FRONT.resolve(arguments[0]))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(RESERVATION))
            .build();
    var succeeded = new LongAdder();
    var failed = new LongAdder();
    var metrics =
        Stream.of(arguments)
            .skip(1)
            .map(port -> to(URI.create("http://127.0.0.1:" + port + "/actuator/prometheus")).build())
            .toList();
    try (var users = Executors.newVirtualThreadPerTaskExecutor()) {
      users.submit(
          () -> {
            while (succeeded.sum() < OPERATIONS && Instant.now().isBefore(end)) {
              for (var look : metrics) {
                succeeds(look);
              }
              Thread.sleep(BETWEEN_LOOKS);
            }
            return null;
          });
      for (int user = 0; user < USERS; user++) {
        users.submit(
            () -> {
              while (succeeded.sum() < OPERATIONS && Instant.now().isBefore(end)) {
                for (var request : List.of(list, reserve)) {
                  (succeeds(request) ? succeeded : failed).increment();
                }
              }
              return null;
            });
      }
    }
    System.out.println(succeeded + " operations succeeded, " + failed + " failed");
    System.exit(succeeded.sum() < OPERATIONS / 10 ? 1 : 0);
  }

  private static HttpRequest.Builder to(URI address) {
    return HttpRequest.newBuilder(address)
        .header("Authorization", "Basic " + CREDENTIALS)
        .timeout(Duration.ofSeconds(15));
  }

  /** Sends a request; where the answer is an id, fetches the result too. */
  private static boolean succeeds(HttpRequest request) throws InterruptedException {
    try {
      var answer = CLIENT.send(request, BodyHandlers.ofString());
      if (answer.statusCode() == 202) {
        var location = answer.headers().firstValue("Location").orElseThrow();
        var fetch = to(FRONT.resolve(location)).header("Prefer", "wait=10").build();
        answer = CLIENT.send(fetch, BodyHandlers.ofString());
      }
      return answer.statusCode() == 200 || answer.statusCode() == 201;
    } catch (IOException e) {
      return false;
    }
  }
}
