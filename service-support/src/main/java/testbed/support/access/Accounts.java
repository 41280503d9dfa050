package testbed.support.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import testbed.support.client.ClientRates;

/** The accounts of a service, and what each may do. */
public final class Accounts {

  /** May make reservations and fetch what it asked for. */
  public static final String USER = "user";

  /** May do everything. */
  public static final String ADMINISTRATOR = "administrator";

  /** What a client is told to send, in the header {@code WWW-Authenticate}. */
  public static final String CHALLENGE = "Basic realm=\"testbed\", charset=\"UTF-8\"";

  private final List<Credentials> accounts;

  public Accounts(AccessSettings settings) {
    this(settings.users(), settings.administrators());
  }

  public Accounts(List<Account> users, List<Account> administrators) {
    this.accounts =
        Stream.concat(
                users.stream().map(account -> Credentials.of(account, USER)),
                administrators.stream()
                    .map(account -> Credentials.of(account, USER, ADMINISTRATOR)))
            .toList();
  }

  /**
   * Checks a name and a password. A fast comparison: passwords are random texts, sent with every
   * request. A slow hash protects passwords that people choose, and would be most of the work of a
   * request.
   *
   * @throws BadCredentialsException if they are of no account
   */
  public Authentication authenticate(Authentication claimed) {
    var name = bytes(claimed.getName());
    var password = bytes(claimed.getCredentials());
    Authentication granted = null;
    for (var account : accounts) {
      // In constant time, so that timing does not reveal a password.
      if (MessageDigest.isEqual(name, account.name)
          & MessageDigest.isEqual(password, account.password)) {
        granted = account.granted;
      }
    }
    if (granted == null) {
      throw new BadCredentialsException("no such account");
    }
    return granted;
  }

  /**
   * Checks a name and a password, unless the client has sent too many for this name.
   *
   * @param address of the client, if known
   * @throws BadCredentialsException if they are of no account
   * @throws GuessedTooOften if they are not checked
   */
  public Authentication authenticate(
      Authentication claimed, ClientRates clients, @Nullable String address) {
    var refusal = clients.refusalToCheck(claimed.getName(), address);
    if (refusal.isPresent()) {
      throw new GuessedTooOften(refusal.get());
    }
    return authenticate(claimed);
  }

  private static byte[] bytes(@Nullable Object text) {
    return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
  }

  private record Credentials(byte[] name, byte[] password, Authentication granted) {

    static Credentials of(Account account, String... roles) {
      return new Credentials(
          bytes(account.name()),
          bytes(account.password()),
          UsernamePasswordAuthenticationToken.authenticated(
              account.name(), null, AuthorityUtils.createAuthorityList(roles)));
    }
  }
}
