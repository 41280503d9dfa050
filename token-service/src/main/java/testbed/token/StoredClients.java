package testbed.token;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.settings.TokenSettings;

/**
 * The clients in the database. It is asked for each token, so that a client that is disabled gets
 * none from then on.
 */
final class StoredClients implements RegisteredClientRepository {

  private static final int SECRET_BYTES = 32;

  private final JdbcClient sql;
  private final PasswordEncoder secrets;
  private final TokenSettings tokens;

  /**
   * In place of a client that is unknown or disabled. Its secret is checked as any other, so that
   * the time of an answer does not tell which clients exist.
   */
  private final RegisteredClient nobody;

  StoredClients(JdbcClient sql, PasswordEncoder secrets, TokenServiceSettings settings) {
    this.sql = sql;
    this.secrets = secrets;
    this.tokens = TokenSettings.builder().accessTokenTimeToLive(settings.life()).build();
    this.nobody = registered("nobody", String.valueOf(secrets.encode(random())), Set.of());
    settings.clients().forEach(client -> keep(client, settings.secrets()));
  }

  /**
   * Adds a client of the settings, or gives it their secret and scopes. It takes its name from a
   * client of the market.
   */
  private void keep(ConfiguredClient client, SecretHash hash) {
    var stored =
        sql.sql("select secret from tokens.client where name = :name and secret is not null")
            .param("name", client.name())
            .query(String.class)
            .optional()
            .filter(secret -> secret.startsWith("{%s}".formatted(hash.id())))
            .filter(secret -> secrets.matches(client.secret(), secret))
            .orElseGet(() -> String.valueOf(secrets.encode(client.secret())));
    sql.sql("delete from tokens.client where lower(name) = lower(:name) and version is not null")
        .param("name", client.name())
        .update();
    sql.sql(
            """
            insert into tokens.client (name, secret, scopes) values (:name, :secret, :scopes)
            on conflict (name) do update set secret = excluded.secret, scopes = excluded.scopes
            """)
        .param("name", client.name())
        .param("secret", stored)
        .param("scopes", String.join(" ", client.scopes()))
        .update();
  }

  /**
   * Adds a client of the market, or changes it.
   *
   * @param version greater than that of each earlier change
   * @param secret null if it stays
   * @return false if the name is of a client of the settings, or a later change was made
   */
  boolean put(
      String name, long version, @Nullable String secret, Set<String> scopes, boolean enabled) {
    if (secret != null) {
      return store(name, version, secrets.encode(secret), String.join(" ", scopes), enabled);
    }
    return sql.sql(
                """
                update tokens.client set scopes = :scopes, enabled = :enabled, version = :version
                where name = :name and secret is not null and version <= :version
                """)
            .param("name", name)
            .param("version", version)
            .param("scopes", String.join(" ", scopes))
            .param("enabled", enabled)
            .update()
        == 1;
  }

  /**
   * Removes a client of the market, also before it has come.
   *
   * @return false if the name is of a client of the settings, or a later change was made
   */
  boolean remove(String name, long version) {
    return store(name, version, null, "", false);
  }

  private boolean store(
      String name, long version, @Nullable String hash, String scopes, boolean enabled) {
    return sql.sql(
                """
                insert into tokens.client as stored (name, secret, scopes, enabled, version)
                values (:name, :secret, :scopes, :enabled, :version)
                on conflict (lower(name)) do update set name = excluded.name,
                  secret = excluded.secret, scopes = excluded.scopes, enabled = excluded.enabled,
                  version = excluded.version
                where stored.version <= excluded.version
                """)
            .param("name", name)
            .param("secret", hash)
            .param("scopes", scopes)
            .param("enabled", enabled)
            .param("version", version)
            .update()
        == 1;
  }

  @Override
  public RegisteredClient findByClientId(String name) {
    try {
      return sql.sql("select secret, scopes from tokens.client where name = :name and enabled")
          .param("name", name)
          .query(
              (row, number) ->
                  registered(name, row.getString(1), Set.of(row.getString(2).split(" "))))
          .optional()
          .orElse(nobody);
    } catch (DataAccessException away) {
      throw new OAuth2AuthenticationException(
          new OAuth2Error(OAuth2ErrorCodes.TEMPORARILY_UNAVAILABLE), away);
    }
  }

  private RegisteredClient registered(String name, String secret, Set<String> scopes) {
    return RegisteredClient.withId(name)
        .clientId(name)
        .clientSecret(secret)
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_POST)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .scopes(all -> all.addAll(scopes))
        .tokenSettings(tokens)
        .build();
  }

  /** Of authorizations, which are not kept. */
  @Override
  public @Nullable RegisteredClient findById(String id) {
    return null;
  }

  @Override
  public void save(RegisteredClient client) {
    throw new UnsupportedOperationException("Clients do not change by getting a token");
  }

  private static String random() {
    var bytes = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
