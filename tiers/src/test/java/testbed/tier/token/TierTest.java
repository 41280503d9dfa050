package testbed.tier.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.jwt.Jwt;

class TierTest {

  @Test
  void isTheHighestOfTheTokensScopes() {
    assertThat(Tier.of(client("basic"))).contains(Tier.BASIC);
    assertThat(Tier.of(client("basic", "premium", "other"))).contains(Tier.PREMIUM);
  }

  @Test
  void isNoneOfAdministratorsAndOfOtherScopes() {
    assertThat(Tier.of(client("basic", "admin"))).isEmpty();
    assertThat(Tier.of(client("PREMIUM", "other"))).isEmpty();
    assertThat(Tier.of(client())).isEmpty();
  }

  private static Authentication client(String... scopes) {
    var token =
        Jwt.withTokenValue("token")
            .header("alg", "RS256")
            .claim(AccessTokens.CLIENT, "jane")
            .claim("scope", List.of(scopes))
            .expiresAt(Instant.MAX)
            .build();
    return AccessTokens.converter().convert(token);
  }
}
