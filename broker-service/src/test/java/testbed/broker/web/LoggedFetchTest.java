package testbed.broker.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import testbed.support.log.LoggedCorrelation;

class LoggedFetchTest {

  private static final String ID = "0193c0de-0000-7000-8000-000000000001";

  private final MockMvcTester http =
      MockMvcTester.of(
          List.of(new Fetching()), mvc -> mvc.addInterceptors(new LoggedFetch()).build());

  @Test
  void namesTheFetchedIdWhileItIsFetched() {
    assertThat(http.get().uri("/fetch/{id}", ID)).bodyText().isEqualTo(ID);
    assertThat(MDC.get(LoggedCorrelation.KEY)).isNull();
  }

  @Test
  void namesNothingThatIsNoId() {
    assertThat(http.get().uri("/fetch/{id}", ID + "\nforged")).bodyText().isEqualTo("null");
  }

  @RestController
  static class Fetching {

    @GetMapping("/fetch/{id}")
    String named(@PathVariable String id) {
      return String.valueOf(MDC.get(LoggedCorrelation.KEY));
    }
  }
}
