package testbed.aggregator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@SpringBootTest(properties = "eureka.client.enabled=false")
@AutoConfigureMockMvc
class NobodyKnownTest {

  @Autowired MockMvcTester http;
  @Autowired HealthEndpoint health;

  @Test
  void isUnavailableWhileNoCinemaIsKnown() {
    assertThat(http.get().uri("/api/movie/list"))
        .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
        .bodyText()
        .contains("urn:testbed:problem:unavailable");
  }

  @Test
  void isNotReadyBeforeTheRegistryAnswers() {
    assertThat(health.healthForPath("readiness").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    assertThat(health.healthForPath("liveness").getStatus()).isEqualTo(Status.UP);
  }
}
