package testbed.feed.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import testbed.contracts.ProblemType;

@SpringBootTest(
    properties = {
      "feed.source.mean=1ms",
      "feed.source.deviation=0ms",
      "feed.source.refused=0",
      "feed.fresh=7s"
    })
@AutoConfigureMockMvc
class RateEdgeTest {

  private static final String EURO = "/api/rates/eur_usd";

  @Autowired MockMvcTester http;

  @Test
  void tellsARateAndHowLongItMayBeKept() {
    var answer = http.get().uri(EURO).exchange();

    assertThat(answer).hasStatusOk().hasHeader(HttpHeaders.CACHE_CONTROL, "max-age=7");
    var body = assertThat(answer).bodyJson();
    body.extractingPath("$.base").isEqualTo("EUR");
    body.extractingPath("$.quote").isEqualTo("USD");
    body.extractingPath("$.asOf").asString().matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z");
  }

  @Test
  void namesThePairsThatItKnows() {
    assertThat(http.get().uri("/api/rates"))
        .hasStatusOk()
        .bodyJson()
        .isStrictlyEqualTo("[\"eur_usd\"]");
  }

  @ParameterizedTest
  @CsvSource({"GET, /api/rates/eur_gbp, NOT_FOUND", "POST, /api/rates/eur_usd, METHOD_NOT_ALLOWED"})
  void refusesWhatThereIsNot(String method, String path, ProblemType type) {
    assertProblem(http.method(HttpMethod.valueOf(method)).uri(path).exchange(), type);
  }

  @Test
  void describesItself() {
    assertThat(http.get().uri("/openapi.yaml")).hasStatusOk().bodyText().contains(EURO);
  }

  static void assertProblem(MvcTestResult answer, ProblemType type) {
    assertThat(answer).hasStatus(type.status()).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
    assertThat(answer).bodyJson().extractingPath("$.type").isEqualTo(type.uri().toString());
  }
}
