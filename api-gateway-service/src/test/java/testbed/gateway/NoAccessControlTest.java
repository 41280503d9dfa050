package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.test.context.TestPropertySource;

@TestPropertySource(properties = "access.control=off")
class NoAccessControlTest extends RunningGateway {

  @Autowired private ApplicationContext context;

  @ParameterizedTest
  @ValueSource(strings = {"", "Basic nonsense", "Basic bm9ib2R5Om5vbmU="})
  void ignoresCredentials(String header) {
    service.answers(200, "application/json", "[]");
    registerCinema("savoy");

    http.get()
        .uri("/cinema/savoy/reservation/list")
        .headers(headers -> headers.set(HttpHeaders.AUTHORIZATION, header))
        .exchange()
        .expectStatus()
        .isOk()
        .expectHeader()
        .doesNotExist("X-Content-Type-Options");
  }

  @Test
  void hasNothingOnTheWayOfARequest() {
    assertThat(context.getBeanProvider(WebFilterChainProxy.class)).isEmpty();
  }
}
