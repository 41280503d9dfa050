package testbed.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import java.text.ParseException;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The key in the database: another one after each start would make all tokens invalid. */
final class SigningKey {

  private static final int BITS = 2048;

  private SigningKey() {}

  /** Returns the key, which the first process makes. */
  static RSAKey of(JdbcClient sql) {
    return stored(sql)
        .orElseGet(
            () -> {
              sql.sql(
                      "insert into tokens.signing_key (id, jwk) values (1, :jwk) on conflict do nothing")
                  .param("jwk", made().toJSONString())
                  .update();
              return stored(sql).orElseThrow();
            });
  }

  private static Optional<RSAKey> stored(JdbcClient sql) {
    return sql.sql("select jwk from tokens.signing_key")
        .query(String.class)
        .optional()
        .map(SigningKey::read);
  }

  private static RSAKey read(String jwk) {
    try {
      return RSAKey.parse(jwk);
    } catch (ParseException unreadable) {
      throw new IllegalStateException("The key in the database is not readable", unreadable);
    }
  }

  private static RSAKey made() {
    try {
      return new RSAKeyGenerator(BITS)
          .keyIDFromThumbprint(true)
          .keyUse(KeyUse.SIGNATURE)
          .algorithm(JWSAlgorithm.RS256)
          .generate();
    } catch (JOSEException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
