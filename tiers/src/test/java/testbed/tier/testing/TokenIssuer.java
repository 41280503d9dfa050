package testbed.tier.testing;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import testbed.support.testing.StandInServer;

/** A token server in this JVM, and tokens that it would not issue. */
public final class TokenIssuer implements AutoCloseable {

  private static final Duration LONG = Duration.ofMinutes(10);
  private static final String ISSUER = "{\"issuer\":\"%1$s\",\"jwks_uri\":\"%1$s/keys\"}";

  private final StandInServer server = new StandInServer();
  private final RSAKey key = newKey("known");

  public TokenIssuer() {
    opens();
  }

  /** Answers whoever wants its keys. */
  public void opens() {
    server.does(
        request -> {
          switch (request.getRequestURI().getPath()) {
            case "/.well-known/openid-configuration" ->
                StandInServer.respond(
                    request, 200, "application/json", ISSUER.formatted(address()));
            case "/keys" ->
                StandInServer.respond(
                    request, 200, "application/json", new JWKSet(key.toPublicJWK()).toString());
            default -> StandInServer.respond(request, 404, "text/plain", "");
          }
        });
  }

  /** Answers 500 only. */
  public void fails() {
    server.answers(500, "text/plain", "");
  }

  public URI address() {
    return server.address();
  }

  /** A valid token. */
  public String token(String client, String... scopes) {
    return signed(claims(client).claim("scope", List.of(scopes)).build(), key);
  }

  /** Tokens that must be refused as no token at all, by what is wrong with them. */
  public Map<String, String> invalid() {
    var now = Instant.now();
    var tokens = new LinkedHashMap<String, String>();
    tokens.put("no JWT", "nonsense");
    tokens.put(
        "expired",
        signed(
            basic()
                .issueTime(Date.from(now.minus(LONG).minus(LONG)))
                .expirationTime(Date.from(now.minus(LONG)))
                .build(),
            key));
    tokens.put("without an end", signed(basic().expirationTime(null).build(), key));
    tokens.put(
        "not yet valid",
        signed(
            basic()
                .notBeforeTime(Date.from(now.plus(LONG)))
                .expirationTime(Date.from(now.plus(LONG).plus(LONG)))
                .build(),
            key));
    tokens.put("of another issuer", signed(basic().issuer("http://localhost:1").build(), key));
    tokens.put("without an issuer", signed(basic().issuer(null).build(), key));
    tokens.put("of an unknown key", signed(basic().build(), newKey("unknown")));
    tokens.put("of another key with the known name", signed(basic().build(), newKey("known")));
    tokens.put("unsigned", new PlainJWT(basic().build()).serialize());
    // {"alg":"RSA-OAEP","enc":"A256GCM"}
    tokens.put("encrypted", "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA");
    tokens.put("signed with the public key as a secret", signedBySecret(basic().build()));
    tokens.put("changed after it was signed", changed());
    tokens.put("without a client", signed(basic().claim("client_id", null).build(), key));
    for (var name : List.of("", "a:b", "a b", "-", "é", "a".repeat(1_000))) {
      tokens.put(
          "of the client '%s'".formatted(name.length() > 9 ? "a..." : name),
          signed(claims(name).claim("scope", "basic").build(), key));
    }
    return tokens;
  }

  /** Tokens that each name another key, which the issuer does not have. */
  public List<String> ofUnknownKeys(int count) {
    var other = newKey("other");
    return IntStream.range(0, count)
        .mapToObj(number -> signed(basic().build(), other, "unknown " + number))
        .toList();
  }

  /** How often its keys were asked for. */
  public long timesAsked() {
    return server.requests().stream().filter("GET /keys"::equals).count();
  }

  /** A valid token of about this length. */
  public String token(int length) {
    return signed(basic().claim("more", "a".repeat(length * 3 / 4)).build(), key);
  }

  private JWTClaimsSet.Builder basic() {
    return claims("jane").claim("scope", "basic");
  }

  private JWTClaimsSet.Builder claims(String client) {
    var now = Instant.now();
    return new JWTClaimsSet.Builder()
        .issuer(address().toString())
        .subject("subject of " + client)
        .claim("client_id", client)
        .issueTime(Date.from(now))
        .expirationTime(Date.from(now.plus(LONG)));
  }

  private String changed() {
    var parts = token("jane", "basic").split("\\.");
    var others = token("jane", "admin").split("\\.");
    return String.join(".", parts[0], others[1], parts[2]);
  }

  private String signedBySecret(JWTClaimsSet claims) {
    try {
      return serialized(
          new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(key.getKeyID()).build(),
          claims,
          new MACSigner(key.toRSAPublicKey().getEncoded()));
    } catch (JOSEException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private static String signed(JWTClaimsSet claims, RSAKey key) {
    return signed(claims, key, key.getKeyID());
  }

  private static String signed(JWTClaimsSet claims, RSAKey key, String name) {
    try {
      return serialized(
          new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(name).build(),
          claims,
          new RSASSASigner(key));
    } catch (JOSEException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private static String serialized(JWSHeader header, JWTClaimsSet claims, JWSSigner signer)
      throws JOSEException {
    var token = new SignedJWT(header, claims);
    token.sign(signer);
    return token.serialize();
  }

  private static RSAKey newKey(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
