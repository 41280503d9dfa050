package testbed.tier.token;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import testbed.support.preset.InvalidSetting;

/**
 * Whose tokens clients of the market bring.
 *
 * @param tokens where clients' tokens are checked: off, front (by the gateway or the monolith) or
 *     everywhere (by the services behind the gateway as well)
 * @param tokensIssuer the token server, any that says by OAuth 2 or OpenID Connect where its keys
 *     are
 */
@ConfigurationProperties("market")
public record TokenSettings(@DefaultValue("off") TokenCheck tokens, @Nullable URI tokensIssuer) {

  public TokenSettings {
    if (tokens != TokenCheck.OFF && tokensIssuer == null) {
      throw new InvalidSetting(
          "MARKET_TOKENS_ISSUER", "", List.of("a URL", "nothing, with MARKET_TOKENS=off"));
    }
  }
}
