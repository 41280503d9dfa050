package testbed.aggregator;

import org.junit.jupiter.api.Nested;
import org.springframework.test.context.TestPropertySource;

/** What the preset has chosen keeps no promise that the framework's way would not keep. */
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
