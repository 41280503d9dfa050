package testbed.support.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** In hours, which no test takes. */
class DeadlineTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  @Test
  void comesAMarginBeforeTheCallerGivesUp() {
    assertThat(Deadline.of(DAY, HOUR).millisLeft())
        .isBetween(DAY.minusHours(2).toMillis(), DAY.minusHours(1).toMillis());
  }

  @Test
  void hasNoTimeLeftOnceItHasPassed() {
    assertThat(Deadline.of(HOUR, DAY).millisLeft()).isZero();
  }

  @Test
  void belongsToItsThreadUntilItIsUnbound() {
    var deadline = Deadline.of(DAY, HOUR);

    try (var bound = deadline.bind()) {
      assertThat(Deadline.current()).isSameAs(deadline);
    }

    assertThat(Deadline.current()).isNull();
  }

  @Test
  void holdsAgainWhenOneWithinItIsUnbound() {
    var outer = Deadline.of(DAY, HOUR);

    try (var bound = outer.bind()) {
      try (var within = Deadline.of(HOUR, Duration.ZERO).bind()) {
        assertThat(Deadline.current()).isNotSameAs(outer);
      }
      assertThat(Deadline.current()).isSameAs(outer);
    }
    assertThat(Deadline.current()).isNull();
  }

  @Test
  void letsTheSoonerOfTwoLimitsHold() {
    assertThat(Deadline.within(DAY).millisLeft()).isGreaterThan(HOUR.toMillis());
    try (var bound = Deadline.of(HOUR, Duration.ZERO).bind()) {
      assertThat(Deadline.within(DAY)).isSameAs(Deadline.current());
      assertThat(Deadline.within(HOUR.dividedBy(2)).millisLeft())
          .isLessThanOrEqualTo(HOUR.dividedBy(2).toMillis());
    }
  }

  @Test
  void letsNothingBeginWithLessThanTheMarginLeft() {
    assertThatCode(Deadline::requireMargin).doesNotThrowAnyException();
    try (var bound = Deadline.of(DAY, HOUR).bind()) {
      assertThatCode(Deadline::requireMargin).doesNotThrowAnyException();
    }
    // Half an hour is left, and the margin is an hour.
    try (var bound = Deadline.of(Duration.ofMinutes(90), HOUR).bind()) {
      assertThatThrownBy(Deadline::requireMargin).isInstanceOf(DeadlinePassed.class);
    }
  }
}
