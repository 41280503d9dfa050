package testbed.support.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import testbed.contracts.ProblemType;
import testbed.support.log.LoggedTrace;

class ProblemsTest {

  @AfterEach
  void endTheTrace() {
    LoggedTrace.clear();
  }

  @Test
  void namesTheTrace() {
    LoggedTrace.set("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");

    assertThat(Problems.of(ProblemType.UNAVAILABLE, "Too busy.").getProperties())
        .containsOnly(Map.entry("traceId", "4bf92f3577b34da6a3ce929d0e0e4736"));
  }

  @Test
  void namesNoneWhereThereIsNone() {
    assertThat(Problems.of(ProblemType.UNAVAILABLE, "Too busy.").getProperties()).isNull();
  }
}
