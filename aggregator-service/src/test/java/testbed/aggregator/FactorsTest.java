package testbed.aggregator;

import org.junit.jupiter.api.Nested;
import org.springframework.test.context.TestPropertySource;

/** Every factor of the preset, set to the framework's way: the same promises hold. */
class FactorsTest {

  @Nested
  @TestPropertySource(
      properties = {
        "aggregator.client=declared",
        "testbed.web.short-way=false",
        "testbed.web.timer=observed"
      })
  class OfAList extends MovieListTest {}

  @Nested
  @TestPropertySource(properties = "aggregator.client=declared")
  class OfAHangingCinema extends HangingCinemaTest {}
}
