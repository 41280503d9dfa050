package testbed.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.security.oauth2.server.authorization.OAuth2AuthorizationService;
import org.springframework.security.oauth2.server.authorization.OAuth2TokenType;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;
import tools.jackson.databind.json.JsonMapper;

class TokensTest {

  private static final String CLIENTS =
      "token.clients=jane:hers:basic, john:h:i:s:premium, root:own:admin+basic";
  private static final JsonMapper JSON = new JsonMapper();

  private static Database database;
  private static Running service;

  @BeforeAll
  static void start() {
    database = new Database();
    service = new Running(database, CLIENTS, "token.life=30m");
  }

  @AfterAll
  static void stop() {
    service.close();
    database.close();
  }

  @ParameterizedTest
  @CsvSource({"jane, hers, basic", "john, h:i:s, premium", "root, own, admin basic"})
  void issuesATokenWithTheScopesOfTheClient(String name, String secret, String scopes)
      throws Exception {
    var answer = service.token(name, secret);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue(HttpHeaders.CACHE_CONTROL))
        .hasValueSatisfying(text -> assertThat(text).contains("no-store"));
    Map<?, ?> issued = JSON.readValue(answer.body(), Map.class);
    assertThat(issued.get("token_type")).isEqualTo("Bearer");
    assertThat(String.valueOf(issued.get("scope")).split(" "))
        .containsExactlyInAnyOrder(scopes.split(" "));
    var claims = checked(issued);
    assertThat(claims.getIssuer()).isEqualTo(Running.ISSUER);
    assertThat(claims.getStringClaim("client_id")).isEqualTo(name);
    assertThat(claims.getStringListClaim("scope")).containsExactlyInAnyOrder(scopes.split(" "));
    assertThat(
            Duration.between(
                claims.getIssueTime().toInstant(), claims.getExpirationTime().toInstant()))
        .isEqualTo(Duration.ofMinutes(30));
  }

  @Test
  void issuesATokenWithTheScopesThatAreAskedFor() throws Exception {
    Map<?, ?> issued =
        JSON.readValue(service.token("root", "own", "scope=basic").body(), Map.class);

    assertThat(checked(issued).getStringListClaim("scope")).containsExactly("basic");
  }

  @Test
  void takesTheSecretInTheFormAsWell() {
    var answer =
        service.post(
            "/oauth2/token",
            "grant_type=client_credentials&client_id=jane&client_secret=hers&scope=basic");

    assertThat(answer.statusCode()).isEqualTo(200);
  }

  /** So nobody learns which clients exist. */
  @Test
  void answersAnUnknownClientAsAWrongSecret() {
    var wrong = service.token("jane", "his");
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(wrong.body()).isEqualTo("{\"error\":\"invalid_client\"}");
    assertThat(wrong.headers().firstValue(HttpHeaders.WWW_AUTHENTICATE)).isPresent();

    for (var other :
        List.of(
            service.token("nobody", "hers"),
            service.token("JANE", "hers"),
            service.token("a".repeat(1_000), "hers"),
            service.token("' or true --", "hers"),
            service.token("jane", "a".repeat(2_000)),
            service.post(
                "/oauth2/token", "grant_type=client_credentials&client_id=jane&client_secret=his"),
            service.post("/oauth2/token", "grant_type=client_credentials"))) {
      assertThat(other.statusCode()).isEqualTo(401);
      assertThat(other.body()).isEqualTo(wrong.body());
      assertThat(other.headers().map().keySet()).isEqualTo(wrong.headers().map().keySet());
    }
  }

  /** So the time of an answer does not tell it either. */
  @ParameterizedTest
  @EnumSource(SecretHash.class)
  void checksASecretOfAnUnknownClientToo(SecretHash hash) {
    var name = "by-" + hash.id();
    try (var other =
        new Running(
            database,
            "token.clients=%s:secret:basic".formatted(name),
            "token.secrets=" + hash.id())) {
      var clients = other.bean(RegisteredClientRepository.class);
      var stored = clients.findByClientId(name).getClientSecret();
      var unknown = clients.findByClientId("nobody").getClientSecret();

      // The hash, its version and its strength.
      int same = hash == SecretHash.BCRYPT ? "{bcrypt}$2a$10$".length() : "{sha256}".length();
      assertThat(unknown).hasSameSizeAs(stored).startsWith(stored.substring(0, same));
    }
  }

  @Test
  void issuesNoTokenToAClientOnceItIsDisabled() {
    assertThat(service.token("john", "h:i:s").statusCode()).isEqualTo(200);
    var enable = "update tokens.client set enabled = :enabled where name = 'john'";
    database.sql().sql(enable).param("enabled", false).update();
    try {
      assertThat(service.token("john", "h:i:s").body()).isEqualTo("{\"error\":\"invalid_client\"}");
    } finally {
      database.sql().sql(enable).param("enabled", true).update();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "grant_type=client_credentials&scope=premium, invalid_scope",
    "grant_type=client_credentials&scope=basic+admin, invalid_scope",
    "grant_type=password, unsupported_grant_type",
    "grant_type=authorization_code&code=1, invalid_grant",
    "scope=basic, invalid_request"
  })
  void refuses(String form, String error) {
    var answer =
        service.post(
            "/oauth2/token",
            form,
            HttpHeaders.AUTHORIZATION,
            "Basic " + HttpHeaders.encodeBasicAuth("jane", "hers", null));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).isEqualTo("{\"error\":\"%s\"}".formatted(error));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/oauth2/introspect",
        "/oauth2/revoke",
        "/oauth2/authorize",
        "/oauth2/device_authorization",
        "/oauth2/par",
        "/connect/register",
        "/login",
        "/nothing"
      })
  void hasNoOtherWays(String path) {
    assertThat(service.post(path, "token=1").statusCode()).isEqualTo(404);
    assertThat(service.get(path).statusCode()).isEqualTo(404);
  }

  @Test
  void tellsWhereItsPublicKeyIsAndNoMore() throws Exception {
    var issuer = service.get("/.well-known/oauth-authorization-server").body();
    assertThat(issuer)
        .contains("\"issuer\":\"%s\"".formatted(Running.ISSUER))
        .contains("\"jwks_uri\":\"%s/oauth2/jwks\"".formatted(Running.ISSUER));

    var keys = JWKSet.parse(service.get("/oauth2/jwks").body()).getKeys();
    assertThat(keys).hasSize(1).noneMatch(key -> key.isPrivate());
  }

  /** Tokens are valid beyond a restart. */
  @Test
  void hasTheSameKeyAfterARestart() throws Exception {
    Map<?, ?> issued = JSON.readValue(service.token("jane", "hers").body(), Map.class);
    try (var again = new Running(database, CLIENTS)) {
      assertThat(again.get("/oauth2/jwks").body()).isEqualTo(service.get("/oauth2/jwks").body());
      checked(issued, again);
    }
  }

  /** The library's encoder would hash each anew at its first use. */
  @Test
  void storesHashesOfSecretsWhichTheirUseDoesNotChange() {
    try (var fast =
        new Running(database, "token.clients=fast:secret:basic", "token.secrets=sha256")) {
      var before = secret("fast");
      assertThat(before).startsWith("{sha256}").doesNotContain("secret");
      assertThat(secret("jane")).startsWith("{bcrypt}$2a$10$");

      // Each server checks what the other has stored.
      for (var server : List.of(fast, service)) {
        assertThat(server.token("fast", "secret").statusCode()).isEqualTo(200);
        assertThat(server.token("jane", "hers").statusCode()).isEqualTo(200);
      }
      assertThat(secret("fast")).isEqualTo(before);
    }
  }

  @Test
  void keepsNoTokens() {
    var token = JSON.readTree(service.token("jane", "hers").body()).get("access_token").asString();

    assertThat(
            service
                .bean(OAuth2AuthorizationService.class)
                .findByToken(token, OAuth2TokenType.ACCESS_TOKEN))
        .isNull();
  }

  @Test
  void isReadyAndMeasured() {
    service.token("jane", "hers");

    assertThat(service.management("/actuator/health/readiness").body()).contains("UP");
    assertThat(service.management("/actuator/prometheus").body()).contains("http_server_requests");
  }

  @Test
  void refusesForAWhileWithoutItsDatabase() {
    try (var own = new Database();
        var other = new Running(own, CLIENTS, Running.SHORT_WAIT_FOR_DATABASE)) {
      own.close();
      var answer = other.token("jane", "hers");

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).isEqualTo("{\"error\":\"temporarily_unavailable\"}");
      assertThat(answer.headers().firstValue(HttpHeaders.RETRY_AFTER)).contains("1");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "token.clients=jane",
        "token.clients=jane:hers",
        "token.clients=jane::basic",
        "token.clients=:hers:basic",
        "token.clients=a b:hers:basic",
        "token.clients=jane:hers:everything",
        "token.secrets=noop",
        "token.life=0s"
      })
  void stopsOnASettingThatCannotBe(String setting) {
    assertThatThrownBy(() -> new Running(database, setting)).isNotNull();
  }

  private static String secret(String name) {
    return database
        .sql()
        .sql("select secret from tokens.client where name = :name")
        .param("name", name)
        .query(String.class)
        .single();
  }

  private static JWTClaimsSet checked(Map<?, ?> issued) throws Exception {
    return checked(issued, service);
  }

  private static JWTClaimsSet checked(Map<?, ?> issued, Running by) throws Exception {
    var token = SignedJWT.parse(String.valueOf(issued.get("access_token")));
    HttpResponse<String> keys = by.get("/oauth2/jwks");
    var key = JWKSet.parse(keys.body()).getKeyByKeyId(token.getHeader().getKeyID());
    assertThat(token.verify(new RSASSAVerifier(key.toRSAKey()))).isTrue();
    return token.getJWTClaimsSet();
  }
}
