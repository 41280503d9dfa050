package testbed.token;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import testbed.support.testing.PlainHttp;

/** The running service. */
final class Running implements AutoCloseable {

  static final String ISSUER = "http://tokens.example.org";

  /** Milliseconds. Long enough for a start on a slow machine. */
  static final String SHORT_WAIT_FOR_DATABASE = "spring.datasource.hikari.connection-timeout=5000";

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
    return PlainHttp.send(HttpRequest.newBuilder(at("local.server.port", path)).build());
  }

  HttpResponse<String> management(String path) {
    return PlainHttp.send(HttpRequest.newBuilder(at("local.management.port", path)).build());
  }

  HttpResponse<String> post(String path, String form, String... headers) {
    var request =
        HttpRequest.newBuilder(at("local.server.port", path))
            .header(HttpHeaders.CONTENT_TYPE, "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form));
    return PlainHttp.send((headers.length == 0 ? request : request.headers(headers)).build());
  }

  /** Sends a change of the market's clients. */
  HttpResponse<String> change(String account, String method, String path, String body) {
    var request =
        HttpRequest.newBuilder(at("local.server.port", "/internal/clients/" + path))
            .header(HttpHeaders.CONTENT_TYPE, "application/json")
            .method(method, BodyPublishers.ofString(body));
    if (!account.isEmpty()) {
      var parts = account.split(":");
      request.header(
          HttpHeaders.AUTHORIZATION,
          "Basic " + HttpHeaders.encodeBasicAuth(parts[0], parts[1], null));
    }
    return PlainHttp.send(request.build());
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

  @Override
  public void close() {
    context.close();
  }
}
