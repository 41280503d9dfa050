package testbed.aggregator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@SpringBootTest(properties = "eureka.client.enabled=false")
@AutoConfigureMockMvc
class NobodyKnownTest {

  @Autowired MockMvcTester http;

  @Test
  void isUnavailableWhileNoCinemaIsKnown() {
    assertThat(http.get().uri("/api/movie/list"))
        .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
        .bodyText()
        .contains("urn:testbed:problem:unavailable");
  }

  @Test
  void isNotReadyBeforeTheRegistryAnswers() {
    assertThat(http.get().uri("/actuator/health/readiness"))
        .hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
    assertThat(http.get().uri("/actuator/health/liveness")).hasStatusOk();
  }
}
