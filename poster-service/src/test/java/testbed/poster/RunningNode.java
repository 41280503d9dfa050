package testbed.poster;

import java.net.URI;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import testbed.poster.image.Format;

/** A service in this JVM, at a free port or at a given one. */
final class RunningNode implements AutoCloseable {

  private final ConfigurableApplicationContext context;

  RunningNode(String... settings) {
    context =
        new SpringApplicationBuilder(PosterServiceApplication.class)
            .run(
                Stream.concat(
                        Stream.of(settings),
                        Stream.of("server.port=${node.port:0}", "management.server.port=0"))
                    .map(setting -> "--" + setting)
                    .toArray(String[]::new));
  }

  URI address() {
    return address("local.server.port");
  }

  private URI address(String port) {
    return URI.create("http://localhost:" + context.getEnvironment().getProperty(port));
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  ResponseEntity<byte[]> post(Format format, byte[] body) {
    return post(format, body, new HttpHeaders());
  }

  ResponseEntity<byte[]> post(Format format, byte[] body, HttpHeaders further) {
    return postTo("/api/posters", format, body, further);
  }

  ResponseEntity<byte[]> postTo(String path, Format format, byte[] body, HttpHeaders further) {
    return client(address())
        .post()
        .uri(path)
        .contentType(MediaType.parseMediaType(format.mediaType()))
        .headers(headers -> headers.addAll(further))
        .body(body)
        .retrieve()
        .toEntity(byte[].class);
  }

  ResponseEntity<String> get(String path) {
    return client(address()).get().uri(path).retrieve().toEntity(String.class);
  }

  /** At the management port. */
  ResponseEntity<String> managed(String path) {
    return client(address("local.management.port"))
        .get()
        .uri(path)
        .retrieve()
        .toEntity(String.class);
  }

  private static RestClient client(URI address) {
    return RestClient.builder()
        .baseUrl(address)
        .defaultHeader(HttpHeaders.ACCEPT, MediaType.ALL_VALUE)
        .defaultStatusHandler(status -> true, (request, response) -> {})
        .build();
  }

  @Override
  public void close() {
    context.close();
  }
}
