package testbed.cinema.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import testbed.cinema.InMemoryDatabase;
import testbed.contracts.ProblemType;

/** With drills switched on; {@link HttpEdgeTest} is without. */
@SpringBootTest(
    properties = {
      "cinema.name=cineworld",
      "cinema.transport=http",
      "cinema.drills=true",
      "eureka.client.enabled=false"
    })
@AutoConfigureMockMvc
@Import(InMemoryDatabase.class)
class DrillControllerTest {

  @Autowired MockMvcTester http;

  @ParameterizedTest
  @ValueSource(strings = {"movie", "reservation"})
  void answersAfterTheTimeThatItIsAskedFor(String kind) {
    assertThat(http.get().uri("/cinema/cineworld/%s/delay/0".formatted(kind)))
        .hasStatusOk()
        .bodyText()
        .isEqualTo("{\"seconds\":0}");
  }

  @Test
  void doesNotAnswerAsLateAsAnyoneLikes() {
    assertThat(http.get().uri("/cinema/cineworld/movie/delay/31"))
        .hasStatus(ProblemType.INVALID_REQUEST.status())
        .bodyText()
        .contains(ProblemType.INVALID_REQUEST.uri().toString());
  }
}
