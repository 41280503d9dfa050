package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.support.testing.RawHttp;

/** Media types and parameters that only a running server reads. */
@SpringBootTest(
    classes = OddRequestsTest.Server.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.import=classpath:testbed-defaults.yml",
      "spring.application.name=odd-requests",
      "management.server.port=8180"
    })
class OddRequestsTest {

  private static final String WITHOUT_BOUNDARY = "Content-Type: multipart/form-data\r\n";

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Server {

    @Bean
    Pages pages() {
      return new Pages();
    }
  }

  @RestController
  static class Pages {

    @GetMapping("/list")
    Page list(Page page) {
      return page;
    }

    @PostMapping("/make")
    Page make(@RequestBody Page page) {
      return page;
    }
  }

  @LocalServerPort int port;

  @Test
  void takesNoFormWithFiles() {
    var answer =
        RawHttp.answerTo(
            port, "POST /make HTTP/1.1", "{}", WITHOUT_BOUNDARY, "Content-Length: 2\r\n");

    assertProblem(answer, 415, ProblemType.UNSUPPORTED_MEDIA_TYPE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "identity, gzip", "identity\r\nContent-Encoding: br", "nonsense"})
  void takesNoBodyWithAContentCoding(String coding) {
    var answer = makeCoded(coding, "Content-Length: 2\r\n", "{}");

    assertProblem(answer, 415, ProblemType.UNSUPPORTED_MEDIA_TYPE);
    assertThat(answer).contains("Accept-Encoding: identity\r\n");
  }

  @Test
  void takesNoChunkedBodyWithAContentCoding() {
    var answer = makeCoded("x-gzip", "Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n");

    assertProblem(answer, 415, ProblemType.UNSUPPORTED_MEDIA_TYPE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "identity", "Identity , identity"})
  void readsABodyWhoseContentCodingIsNone(String coding) {
    var body = "{\"number\":1,\"size\":2}";

    assertThat(makeCoded(coding, "Content-Length: %d\r\n".formatted(body.length()), body))
        .startsWith("HTTP/1.1 200");
  }

  private String makeCoded(String coding, String length, String body) {
    return RawHttp.answerTo(
        port,
        "POST /make HTTP/1.1",
        body,
        "Content-Encoding: %s\r\n".formatted(coding),
        "Content-Type: application/json\r\n",
        length);
  }

  @Test
  void ignoresTheTypeOfABodyThatItDoesNotRead() {
    assertThat(
            RawHttp.answer(
                port, "GET /list?page=1 HTTP/1.1", WITHOUT_BOUNDARY, "Content-Encoding: gzip\r\n"))
        .startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"page=0&=false", "=", "page=%zz", "page=%ff%"})
  void refusesParametersThatCannotBeRead(String parameters) {
    var answer = RawHttp.answer(port, "GET /list?%s HTTP/1.1".formatted(parameters));

    assertProblem(answer, 400, ProblemType.INVALID_REQUEST);
  }

  private static void assertProblem(String answer, int status, ProblemType type) {
    assertThat(answer)
        .startsWith("HTTP/1.1 %d".formatted(status))
        .contains("Content-Type: application/problem+json\r\n")
        .contains("\"type\":\"%s\"".formatted(type.uri()));
  }
}
