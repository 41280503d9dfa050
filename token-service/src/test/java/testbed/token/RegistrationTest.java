package testbed.token;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The market's clients are added, changed and removed by whoever has the account for it. */
@ExtendWith(OutputCaptureExtension.class)
class RegistrationTest {

  private static final String ACCOUNT = "market:own";
  private static final String CLIENTS = "token.clients=admin:testbed:admin";

  private static Database database;
  private static Running service;

  @BeforeAll
  static void start() {
    database = new Database();
    service = new Running(database, CLIENTS, "token.account=" + ACCOUNT);
  }

  @AfterAll
  static void stop() {
    service.close();
    database.close();
  }

  @Test
  void addsAClientWhoseSecretIsStoredHashedAlone(CapturedOutput output) {
    assertThat(put("jane", 1, "hers", "basic", true)).isEqualTo(204);

    assertThat(service.token("jane", "hers").body()).contains("\"scope\":\"basic\"");
    assertThat(service.token("jane", "his").statusCode()).isEqualTo(401);
    assertThat(
            database
                .sql()
                .sql("select secret from tokens.client where name = 'jane'")
                .query(String.class)
                .single())
        .startsWith("{bcrypt}$2a$10$")
        .doesNotContain("hers");
    assertThat(output).doesNotContain("hers");
  }

  @Test
  void changesAClientFromTheNextTokenOn() {
    put("john", 1, "his", "basic", true);

    assertThat(put("john", 2, null, "premium", true)).isEqualTo(204);
    assertThat(service.token("john", "his").body()).contains("\"scope\":\"premium\"");
    assertThat(put("john", 3, null, "premium", false)).isEqualTo(204);
    assertThat(service.token("john", "his").statusCode()).isEqualTo(401);
    assertThat(put("john", 4, null, "premium", true)).isEqualTo(204);
    assertThat(service.token("john", "his").statusCode()).isEqualTo(200);
    assertThat(remove("john", 5)).isEqualTo(204);
    assertThat(service.token("john", "his").statusCode()).isEqualTo(401);
  }

  @Test
  void takesAChangeTwiceAndNoneAfterALaterOne() {
    assertThat(put("late", 1, "first", "basic", true)).isEqualTo(204);
    assertThat(put("late", 1, "first", "basic", true)).isEqualTo(204);
    assertThat(put("late", 3, null, "basic", false)).isEqualTo(204);
    assertThat(put("late", 2, null, "basic", true)).isEqualTo(409);
    assertThat(service.token("late", "first").statusCode()).isEqualTo(401);

    assertThat(remove("late", 5)).isEqualTo(204);
    assertThat(remove("late", 5)).isEqualTo(204);
    assertThat(put("late", 4, "first", "basic", true)).isEqualTo(409);
    assertThat(put("late", 6, null, "basic", true)).isEqualTo(409);
    assertThat(service.token("late", "first").statusCode()).isEqualTo(401);

    // Another client, in other letters.
    assertThat(put("LATE", 7, "second", "basic", true)).isEqualTo(204);
    assertThat(service.token("LATE", "second").statusCode()).isEqualTo(200);
    assertThat(remove("late", 5)).isEqualTo(409);
    assertThat(service.token("LATE", "second").statusCode()).isEqualTo(200);
  }

  /** Its removal has overtaken it. */
  @Test
  void doesNotAddAClientThatIsRemovedAlready() {
    assertThat(remove("undone", 2)).isEqualTo(204);
    assertThat(put("undone", 1, "secret", "basic", true)).isEqualTo(409);
    assertThat(service.token("undone", "secret").statusCode()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"admin", "ADMIN"})
  void leavesClientsOfTheSettingsAlone(String name) {
    assertThat(put(name, 1, "mine", "basic", true)).isEqualTo(409);
    assertThat(put(name, 1, null, "basic", false)).isEqualTo(409);
    assertThat(remove(name, 1)).isEqualTo(409);
    assertThat(service.token("admin", "testbed").body()).contains("\"scope\":\"admin\"");
  }

  @Test
  void givesANameOfTheSettingsToThem() {
    put("taken", 1, "old", "basic", false);
    try (var other = new Running(database, "token.clients=TAKEN:new:premium")) {
      assertThat(other.token("TAKEN", "new").body()).contains("\"scope\":\"premium\"");
      assertThat(other.token("taken", "old").statusCode()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x | {}
          x | {"version":1,"scopes":["admin"],"enabled":true}
          x | {"version":1,"scopes":[null],"enabled":true}
          x | {"version":1,"scopes":[],"enabled":true}
          x | {"version":1,"scopes":["basic"]}
          x | {"scopes":["basic"],"enabled":true}
          """)
  void refusesWhatCannotBe(String name, String body) {
    assertThat(service.change(ACCOUNT, "PUT", name, body).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a:b", "-a", "%20", "a%2Fb"})
  void hasNoPathForNamesThatCannotBe(String name) {
    assertThat(put(name, 1, "secret", "basic", true)).isBetween(400, 404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "market:wrong", "other:own", "admin:testbed"})
  void refusesOthers(String account) {
    for (var method : new String[] {"PUT", "DELETE"}) {
      var answer =
          service.change(
              account,
              method,
              "x?version=1",
              "{\"version\":1,\"scopes\":[\"basic\"],\"enabled\":true}");
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.body()).isEqualTo("{\"error\":\"invalid_client\"}");
    }
  }

  @Test
  void hasNoneOfItWithoutAnAccount() {
    try (var other = new Running(database, CLIENTS)) {
      assertThat(other.change(ACCOUNT, "DELETE", "x?version=1", "").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void refusesForAWhileWithoutItsDatabase() {
    try (var own = new Database();
        var other = new Running(own, "token.account=" + ACCOUNT, Running.SHORT_WAIT_FOR_DATABASE)) {
      own.close();

      assertThat(other.change(ACCOUNT, "DELETE", "x?version=1", "").statusCode()).isEqualTo(503);
    }
  }

  private static int put(String name, long version, String secret, String scope, boolean enabled) {
    var written = secret == null ? "null" : "\"%s\"".formatted(secret);
    return service
        .change(
            ACCOUNT,
            "PUT",
            name,
            "{\"version\":%d,\"secret\":%s,\"scopes\":[\"%s\"],\"enabled\":%s}"
                .formatted(version, written, scope, enabled))
        .statusCode();
  }

  private static int remove(String name, long version) {
    return service
        .change(ACCOUNT, "DELETE", "%s?version=%d".formatted(name, version), "")
        .statusCode();
  }
}
