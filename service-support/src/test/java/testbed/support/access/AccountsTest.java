package testbed.support.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;

class AccountsTest {

  private final Accounts accounts =
      new Accounts(
          new AccessSettings(
              AccessControl.REQUIRED,
              List.of(new Account("jane", "hers"), new Account("jöhn", "geheim€")),
              List.of(new Account("admin", "secret")),
              null));

  @Test
  void knowsWhatEachMayDo() {
    assertThat(rolesOf("jane", "hers")).containsExactly("user");
    assertThat(rolesOf("jöhn", "geheim€")).containsExactly("user");
    assertThat(rolesOf("admin", "secret")).containsExactlyInAnyOrder("user", "administrator");
  }

  @ParameterizedTest
  @CsvSource({"jane, geheim€", "jane, secret", "jane, ''", "jane, HERS", "JANE, hers", "'', ''"})
  void knowsNobodyElse(String name, String password) {
    assertThatExceptionOfType(BadCredentialsException.class)
        .isThrownBy(() -> authenticated(name, password));
  }

  private List<String> rolesOf(String name, String password) {
    return authenticated(name, password).getAuthorities().stream()
        .map(GrantedAuthority::getAuthority)
        .toList();
  }

  private Authentication authenticated(String name, String password) {
    return accounts.authenticate(
        UsernamePasswordAuthenticationToken.unauthenticated(name, password));
  }
}
