package testbed.market.web;

import java.util.Optional;
import java.util.regex.Pattern;
import testbed.tier.token.AccessTokens;

/**
 * The client that makes a request; an argument of controllers' methods. Where a process checks no
 * tokens, the front names it in a header.
 */
public record Client(String name) {

  /** Set by the front alone. */
  public static final String HEADER = "Market-Client";

  /** Of all requests, where the front knows no clients. */
  public static final Client GUEST = new Client("guest");

  /** As written in patterns of documents: neither colons nor spaces. */
  public static final String WRITTEN = AccessTokens.NAME;

  private static final Pattern NAME = Pattern.compile(WRITTEN);

  /** The client of this name, if it can be one. */
  static Optional<Client> parse(String name) {
    return NAME.matcher(name).matches() ? Optional.of(new Client(name)) : Optional.empty();
  }
}
