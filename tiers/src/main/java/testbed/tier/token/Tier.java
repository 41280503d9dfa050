package testbed.tier.token;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;

/** A subscription of a client: a scope of its token. */
public enum Tier {
  BASIC(50),
  PREMIUM(100);

  private final int requests;

  Tier(int requests) {
    this.requests = requests;
  }

  /** How many requests a client of this tier may make in an hour. */
  public int requests() {
    return requests;
  }

  /** As scopes are written. */
  public String scope() {
    return name().toLowerCase(Locale.ROOT);
  }

  String authority() {
    return AccessTokens.SCOPE + scope();
  }

  /** The highest tier of a client; empty for administrators, and for clients without one. */
  public static Optional<Tier> of(Authentication client) {
    Set<String> authorities =
        client.getAuthorities().stream()
            .map(GrantedAuthority::getAuthority)
            .collect(Collectors.toSet());
    return authorities.contains(AccessTokens.ADMIN)
        ? Optional.empty()
        : Arrays.stream(values())
            .filter(tier -> authorities.contains(tier.authority()))
            .max(Comparator.naturalOrder());
  }
}
