package testbed.market;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import testbed.support.testing.PlainHttp;

/** A process of the market, and the requests of its clients. */
final class Market implements AutoCloseable {

  /** A test on a slow machine must not run into the limits of requests. */
  private static final String[] OF_TESTS = {
    "server.port=0",
    "management.server.port=0",
    // Most tests bring data of their own.
    "market.scale=0",
    "market.db.user=postgres",
    "market.db.password=postgres",
    "market.hibernate[hibernate.hbm2ddl.auto]=validate",
    "spring.http.clients.read-timeout=60s"
  };

  private final ConfigurableApplicationContext context;
  private final URI address;

  private Market(ConfigurableApplicationContext context) {
    this.context = context;
    this.address =
        URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port"));
  }

  /** A process with its parts in one database. */
  static Market on(Postgres.Database database, String... settings) {
    var all = new ArrayList<>(List.of(settings));
    all.add("market.db.url=" + database.url());
    return started(all.toArray(String[]::new));
  }

  static Market started(String... settings) {
    return started(List.of(), settings);
  }

  /**
   * A process with further components.
   *
   * @param further their classes
   */
  static Market started(List<Class<?>> further, String... settings) {
    var sources = new ArrayList<Class<?>>(further);
    sources.add(MarketServiceApplication.class);
    var all = new LinkedHashMap<String, String>();
    Stream.concat(Stream.of(OF_TESTS), Stream.of(settings))
        .map(setting -> setting.split("=", 2))
        .forEach(setting -> all.put(setting[0], setting[1]));
    return new Market(
        new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
            .run(
                all.entrySet().stream()
                    .map(setting -> "--%s=%s".formatted(setting.getKey(), setting.getValue()))
                    .toArray(String[]::new)));
  }

  URI address() {
    return address;
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  <T> Collection<T> beans(Class<T> type) {
    return context.getBeansOfType(type).values();
  }

  void publish(Object event) {
    context.publishEvent(event);
  }

  String management(String path) {
    var port = context.getEnvironment().getProperty("local.management.port");
    return PlainHttp.send(
            HttpRequest.newBuilder(URI.create("http://localhost:%s%s".formatted(port, path)))
                .build())
        .body();
  }

  HttpResponse<String> get(String path, String... headers) {
    return send("GET", path, BodyPublishers.noBody(), headers);
  }

  HttpResponse<String> head(String path, String... headers) {
    return send("HEAD", path, BodyPublishers.noBody(), headers);
  }

  HttpResponse<String> delete(String path, String... headers) {
    return send("DELETE", path, BodyPublishers.noBody(), headers);
  }

  HttpResponse<String> post(String path, String body, String... headers) {
    return send("POST", path, BodyPublishers.ofString(body), json(headers));
  }

  HttpResponse<String> put(String path, String body, String... headers) {
    return send("PUT", path, BodyPublishers.ofString(body), json(headers));
  }

  private static String[] json(String... headers) {
    var all = new ArrayList<>(List.of(headers));
    if (!all.contains("Content-Type")) {
      all.addAll(List.of("Content-Type", "application/json"));
    }
    return all.toArray(String[]::new);
  }

  private HttpResponse<String> send(
      String method, String path, BodyPublisher body, String... headers) {
    var request = HttpRequest.newBuilder(URI.create(address + path)).method(method, body);
    return PlainHttp.send((headers.length == 0 ? request : request.headers(headers)).build());
  }

  @Override
  public void close() {
    context.close();
  }
}
