package testbed.support.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import testbed.support.preset.InvalidSetting;

class AccessSettingsTest {

  @Test
  void asksForAccountsUnlessTold() {
    assertThat(bound(Map.of()).isRequired()).isTrue();
    assertThat(bound(Map.of("access.control", "off")).isRequired()).isFalse();
    assertThatThrownBy(() -> bound(Map.of("access.control", "maybe")))
        .isInstanceOf(BindException.class);
  }

  @Test
  void readsAccountsFromOneText() {
    var settings = bound(Map.of("access.users", "jane:a:b, john:his", "access.administrators", ""));

    assertThat(settings.users())
        .containsExactly(new Account("jane", "a:b"), new Account("john", "his"));
    assertThat(settings.administrators()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jane", "jane:", ":hers", "", " : "})
  void refusesHalfAnAccount(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Account.valueOf(text));
  }

  @Test
  void saysNoPassword() {
    assertThat(Account.valueOf("jane:hers")).hasToString("jane");
  }

  @ParameterizedTest
  @CsvSource({
    "users, 0.0.0.0",
    "users, 192.0.2.1",
    "users, ''",
    "administrators, 0.0.0.0",
    "administrators, ''"
  })
  void stopsWithThePasswordThatEverybodyKnowsWhereOthersReachIt(String role, String address) {
    assertThatThrownBy(
            () -> bound(Map.of("access." + role, "jane:testbed", "access.published-at", address)))
        .hasRootCauseInstanceOf(InvalidSetting.class)
        .rootCause()
        .hasMessageStartingWith("ACCESS_PUBLISHED_AT is ");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, testbed, required",
    "::1, testbed, required",
    "0.0.0.0, of-its-own, required",
    "0.0.0.0, testbed, off"
  })
  void startsOtherwise(String address, String password, String control) {
    var settings =
        bound(
            Map.of(
                "access.users", "jane:" + password,
                "access.published-at", address,
                "access.control", control));

    assertThat(settings.users()).hasSize(1);
  }

  private static AccessSettings bound(Map<String, String> settings) {
    return new Binder(new MapConfigurationPropertySource(settings))
        .bindOrCreate("access", AccessSettings.class);
  }
}
