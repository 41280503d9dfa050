package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import testbed.support.deadline.Deadline;

class RequestDeadlineTest {

  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final Duration MARGIN = Duration.ofHours(1);

  private final MockHttpServletRequest request = new MockHttpServletRequest();

  @Test
  void isWhatTheCallerTellsLessTheMargin() throws Exception {
    request.addHeader("Request-Timeout-Millis", String.valueOf(DAY_MILLIS));

    assertThat(deadlineOfRequest())
        .isNotNull()
        .extracting(Deadline::millisLeft)
        .satisfies(left -> assertThat(left).isBetween(1L, DAY_MILLIS - MARGIN.toMillis()));
  }

  @Test
  void endsWithTheRequest() throws Exception {
    request.addHeader("Request-Timeout-Millis", "5000");
    deadlineOfRequest();

    assertThat(Deadline.current()).isNull();
  }

  @Test
  void isNoneIfTheCallerTellsNothing() throws Exception {
    assertThat(deadlineOfRequest()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-1", "1.5", "1e3", "99999999999999999999"})
  void isNoneIfItCannotBeRead(String header) throws Exception {
    request.addHeader("Request-Timeout-Millis", header);

    assertThat(deadlineOfRequest()).isNull();
  }

  private @Nullable Deadline deadlineOfRequest() throws Exception {
    var seen = new AtomicReference<@Nullable Deadline>();
    new RequestDeadline(MARGIN)
        .doFilter(
            request,
            new MockHttpServletResponse(),
            (filtered, response) -> seen.set(Deadline.current()));
    return seen.get();
  }
}
