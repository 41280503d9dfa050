package testbed.market.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class KeptListsTest {

  private final KeptLists kept = new KeptLists();

  @Test
  void areReadOnceUntilAChange() {
    assertThat(regions("Mexico", "old")).isEqualTo("old");
    assertThat(regions("Mexico", "new")).isEqualTo("old");
    assertThat(regions("Peru", "new")).isEqualTo("new");

    kept.forget();
    assertThat(regions("Mexico", "new")).isEqualTo("new");
  }

  /** What is read then may be from before the change. */
  @Test
  void areReadAgainIfTheyWereReadDuringAChange() throws Exception {
    var isRead = new CountDownLatch(1);
    var isChanged = new CountDownLatch(1);
    var during =
        CompletableFuture.supplyAsync(
            () ->
                kept.get(
                    "regions",
                    null,
                    "Mexico",
                    () -> {
                      isRead.countDown();
                      awaits(isChanged);
                      return List.of("old");
                    }));
    isRead.await();
    kept.forget();
    isChanged.countDown();
    assertThat(during.get()).containsExactly("old");

    assertThat(regions("Mexico", "new")).isEqualTo("new");
  }

  /** The region that is kept, or this one. */
  private String regions(String country, String region) {
    return kept.get("regions", null, country, () -> List.of(region)).getFirst();
  }

  private static void awaits(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }
}
