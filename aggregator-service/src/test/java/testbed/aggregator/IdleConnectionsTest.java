package testbed.aggregator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** Connections that were opened for a peak. */
@TestPropertySource(properties = "aggregator.pool.idle=1s")
class IdleConnectionsTest extends RunningAggregator {

  @Autowired PoolingHttpClientConnectionManager connections;

  @Test
  void areClosedAlthoughNobodyAsksTheirInstancesAgain() {
    // On a busy machine they may be closed before this test sees them.
    await()
        .untilAsserted(
            () -> {
              get("/api/movie/list");
              assertThat(connections.getTotalStats().getAvailable()).isEqualTo(2);
            });

    await().untilAsserted(() -> assertThat(connections.getTotalStats().getAvailable()).isZero());
  }
}
