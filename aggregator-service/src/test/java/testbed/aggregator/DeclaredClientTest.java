package testbed.aggregator;

import org.junit.jupiter.api.Nested;
import org.springframework.test.context.TestPropertySource;

/** The framework's client keeps every promise that the lean one keeps. */
class DeclaredClientTest {

  @Nested
  @TestPropertySource(properties = "aggregator.client=declared")
  class OfAList extends MovieListTest {}

  @Nested
  @TestPropertySource(properties = "aggregator.client=declared")
  class OfAHangingCinema extends HangingCinemaTest {}
}
