#!/usr/bin/env bash
# Spring Security 7.1.2, authorization server (spring-security-oauth2-authorization-server).
# Guess: a client's secret stays as it was registered: what the operator chose for a random secret of 256 bits, say
# PBKDF2, a cheap bcrypt or, in a test, {noop}.
# What happens: when the client is authenticated for the first time, the server encodes the secret as bcrypt of strength
# 10 and saves the client, whatever it was before: PBKDF2 with 310,000 rounds, too.
# Why it matters: each token costs a bcrypt from the second on. The first request of a benchmark is not like the
# others; with a database a request for a token is an update, and an operator's choice of encoding is undone by use.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries org.springframework.security:spring-security-oauth2-authorization-server:7.1.2 \
  commons-logging:commons-logging:1.3.5

cat > Secrets.java <<'END'
import java.util.Map;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;
import org.springframework.security.oauth2.core.*;
import org.springframework.security.oauth2.server.authorization.*;
import org.springframework.security.oauth2.server.authorization.authentication.*;
import org.springframework.security.oauth2.server.authorization.client.*;

public class Secrets extends Finding {

  /** What a secret is stored as once its client was authenticated. */
  static String afterUse(String stored) {
    var clients =
        new InMemoryRegisteredClientRepository(
            RegisteredClient.withId("1")
                .clientId("service")
                .clientSecret(stored)
                .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
                .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
                .build());
    var authentication = new ClientSecretAuthenticationProvider(clients, new InMemoryOAuth2AuthorizationService());
    for (int request = 0; request < 2; request++) {
      authentication.authenticate(
          new OAuth2ClientAuthenticationToken(
              "service", ClientAuthenticationMethod.CLIENT_SECRET_BASIC, "secret", Map.of()));
    }
    return clients.findByClientId("service").getClientSecret();
  }

  public static void main(String[] arguments) {
    var secrets =
        new String[] {
          "{noop}secret",
          "{bcrypt}" + new BCryptPasswordEncoder(4).encode("secret"),
          "{pbkdf2@SpringSecurity_v5_8}" + Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8().encode("secret"),
          "{bcrypt}" + new BCryptPasswordEncoder(11).encode("secret")
        };
    for (var secret : secrets) {
      var after = afterUse(secret);
      System.out.printf("%-32.32s after two requests: %.32s%n", secret, after);
      if (secret.contains("$11$")) {
        expect(after.equals(secret), "bcrypt of strength 11 stays");
      } else {
        expect(after.startsWith("{bcrypt}$2a$10$"), "it becomes bcrypt of strength 10");
      }
    }
  }
}
END
run_java Secrets
