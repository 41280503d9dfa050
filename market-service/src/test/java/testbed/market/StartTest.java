package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class StartTest {

  private static final Postgres.Database DATABASE = Postgres.database();

  @ParameterizedTest
  @ValueSource(strings = {"tuned", "thesis"})
  void isReadyAndMeasured(String preset) {
    try (var market = Market.on(DATABASE, "testbed.preset=" + preset)) {
      market.get("/api/beans/countries");

      assertThat(market.management("/actuator/health/readiness")).contains("UP");
      assertThat(market.management("/actuator/prometheus"))
          .containsPattern("http_server_requests_seconds_count\\{.*uri=\"/api/beans/countries\"")
          .containsPattern("hikaricp_connections_acquire_seconds_count\\{.*pool=\"market\"")
          .containsPattern("hikaricp_connections_max\\{.*} 20");
    }
  }

  @Test
  void makesReportsBesideRequests() {
    try (var market = Market.on(DATABASE, "market.neighbour=20:5")) {
      DATABASE
          .sql()
          .sql(
              """
              insert into clients.client (name, mail, subscription_type, enabled)
              values ('jane', 'j@example.org', 'BASIC', true)
              """)
          .update();
      await()
          .untilAsserted(
              () ->
                  assertThat(market.management("/actuator/prometheus"))
                      .containsPattern(
                          "market_neighbour_runs_total\\{.*outcome=\"complete\".*} [1-9][0-9]")
                      .containsPattern("market_neighbour_runs_total\\{.*outcome=\"failed\".*} 0")
                      .containsPattern("market_neighbour_cpu_seconds_total\\{.*} 0\\.[0-9]*[1-9]"));
    }
  }

  @Test
  void makesNoneWithoutTheClients() {
    try (var market =
        Market.on(
            DATABASE, "market.parts=inventory", "market.front=false", "market.neighbour=20:5")) {
      assertThat(market.management("/actuator/prometheus")).doesNotContain("market_neighbour");
    }
  }

  @Test
  void hasItsPartsAlone() {
    try (var market = Market.on(DATABASE, "market.parts=inventory", "market.front=false")) {
      assertThat(market.get("/api/inventory/orders", "Market-Client", "jane").statusCode())
          .isEqualTo(200);
      assertThat(market.get("/api/beans/countries").statusCode()).isEqualTo(404);
      assertThat(market.get("/api/admin/clients").statusCode()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          market.parts=                 | market.parts
          market.parts=roasting         | market.parts
          market.parts=beans            | MARKET_INVENTORY_URL
          market.fetch=eager            | market.fetch
          market.indexes=all            | market.indexes
          market.databases=two          | market.databases
          market.transaction=none       | market.transaction
          market.details=all            | market.details
          market.cache=all              | market.cache
          market.neighbour=often        | MARKET_NEIGHBOUR is 'often'
          market.neighbour=0.5:400ms    | Set MARKET_NEIGHBOUR to one of: off, RATE:MS
          """)
  void stopsOnASettingThatCannotBe(String setting, String message, CapturedOutput output) {
    assertThatThrownBy(() -> Market.on(DATABASE, setting)).isNotNull();

    assertThat(output).contains(message);
  }
}
