package testbed.feed.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import testbed.contracts.ProblemType;

@SpringBootTest(
    properties = {"feed.source.mean=1ms", "feed.source.refused=1", "feed.cache=service"})
@AutoConfigureMockMvc
class RefusedRateTest {

  @Autowired MockMvcTester http;

  @Test
  void isToldAndNotToBeKept() {
    var answer = http.get().uri("/api/rates/eur_usd").exchange();

    RateEdgeTest.assertProblem(answer, ProblemType.UNAVAILABLE);
    assertThat(answer)
        .hasHeader(HttpHeaders.RETRY_AFTER, "1")
        .doesNotContainHeader(HttpHeaders.CACHE_CONTROL);
  }
}
