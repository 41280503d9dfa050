package testbed.token;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;

/** The running service. */
final class Running implements AutoCloseable {

  static final String ISSUER = "http://tokens.example.org";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final ConfigurableApplicationContext context;

  Running(Database database, String... settings) {
    context =
        new SpringApplicationBuilder(TokenServiceApplication.class)
            .run(
                Stream.concat(
                        Stream.of(
                            "server.port=0",
                            "management.server.port=0",
                            "token.issuer=" + ISSUER,
                            "token.db.url=" + database.url(),
                            "token.db.user=postgres",
                            "token.db.password=postgres"),
                        Stream.of(settings))
                    .map("--"::concat)
                    .toArray(String[]::new));
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(at("local.server.port", path)));
  }

  HttpResponse<String> management(String path) {
    return send(HttpRequest.newBuilder(at("local.management.port", path)));
  }

  HttpResponse<String> post(String path, String form, String... headers) {
    var request =
        HttpRequest.newBuilder(at("local.server.port", path))
            .header(HttpHeaders.CONTENT_TYPE, "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  /** Wants a token for a client. */
  HttpResponse<String> token(String client, String secret, String... further) {
    return post(
        "/oauth2/token",
        String.join(
            "&",
            Stream.concat(Stream.of("grant_type=client_credentials"), Stream.of(further)).toList()),
        HttpHeaders.AUTHORIZATION,
        "Basic " + HttpHeaders.encodeBasicAuth(client, secret, null));
  }

  private URI at(String port, String path) {
    return URI.create(
        "http://localhost:%s%s".formatted(context.getEnvironment().getProperty(port), path));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return HTTP.send(request.build(), BodyHandlers.ofString());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
