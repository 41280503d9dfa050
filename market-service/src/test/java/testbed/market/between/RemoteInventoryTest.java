package testbed.market.between;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import testbed.support.testing.HeldPort;
import testbed.support.testing.StandInServer;

class RemoteInventoryTest {

  private static final String JSON = "application/json";
  private static final String STOCK = "{\"beanId\":1,\"quantity\":5,\"price\":2.50}";

  private final StandInServer first = new StandInServer();
  private final StandInServer second = new StandInServer();

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  @Test
  void readsStock() {
    first.answers(200, JSON, STOCK);

    assertThat(inventory(first.address()).stock(1))
        .contains(new Stock(1, 5, new BigDecimal("2.50")));
    assertThat(first.requests()).containsExactly("GET /internal/inventory/stocks/1");
  }

  @Test
  void readsTheStockOfAPageByOneQuestion() {
    first.answers(200, JSON, "[" + STOCK + "]");

    assertThat(inventory(first.address()).stocks(List.of(1L, 2L))).hasSize(1);
    assertThat(first.requests()).hasSize(1);
    assertThat(inventory(first.address()).stocks(List.of())).isEmpty();
    assertThat(first.requests()).hasSize(1);
  }

  @Test
  void knowsWhatIsNotSold() {
    first.answers(404, "application/problem+json", "{}");

    assertThat(inventory(first.address()).stock(1)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"204, true", "409, false"})
  void saysWhetherOrdersAreRemoved(int status, boolean removed) {
    first.answers(status, JSON, "");

    assertThat(inventory(first.address()).removeOrdersOf("jane")).isEqualTo(removed);
    assertThat(first.requests()).containsExactly("DELETE /internal/inventory/clients/jane/orders");
  }

  @Test
  void asksInstancesInTurn() {
    first.answers(200, JSON, STOCK);
    second.answers(200, JSON, STOCK);
    var inventory = inventory(first.address(), second.address());

    for (int i = 0; i < 4; i++) {
      inventory.stock(1);
    }

    assertThat(first.requests()).hasSize(2);
    assertThat(second.requests()).hasSize(2);
  }

  @Test
  void asksTheNextInstanceIfOneCannotBeReached() throws Exception {
    first.answers(200, JSON, STOCK);
    try (var nobody = new HeldPort()) {
      var inventory = inventory(URI.create("http://localhost:" + nobody.number()), first.address());

      for (int i = 0; i < 6; i++) {
        assertThat(inventory.stock(1)).isPresent();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "500, application/json, {}",
    "503, application/problem+json, {}",
    "200, text/plain, x"
  })
  void takesNoOtherAnswerForOne(int status, String type, String body) {
    first.answers(status, type, body);

    assertThatThrownBy(() -> inventory(first.address()).stock(1)).isInstanceOf(InventoryAway.class);
  }

  @Test
  void isAwayWithoutAnInstance() {
    assertThatThrownBy(() -> inventory().stock(1)).isInstanceOf(InventoryAway.class);
  }

  private static Inventory inventory(URI... instances) {
    var requests = new JdkClientHttpRequestFactory();
    requests.setReadTimeout(Duration.ofSeconds(10));
    return new RemoteInventory(
        RemoteConfiguration.api(RestClient.builder().requestFactory(requests)),
        () -> List.of(instances));
  }
}
