package testbed.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {

  private static final IdempotencyKey KEY =
      new IdempotencyKey("8e03978e-40d5-43e8-bc93-6894a57f9324");

  @Test
  void namesTheSameReservationInEveryRelease() {
    // $ printf 'urn:testbed:reservation:8e03978e-40d5-43e8-bc93-6894a57f9324' | sha256sum
    // 8aa0bcaa626fc8fdca3769448028d76c..., with the version and the variant of RFC 9562
    assertThat(KEY.reservationId())
        .isEqualTo(new ReservationId(UUID.fromString("8aa0bcaa-626f-88fd-8a37-69448028d76c")));
  }

  @Test
  void isAnotherOneForEachAccount() {
    // $ printf 'urn:testbed:account:jane:8e03978e-40d5-43e8-bc93-6894a57f9324' | sha256sum
    assertThat(KEY.of("jane").value())
        .isEqualTo("64a586001879b75a174e83e3a5dee36ee220ae990204e604d070a4fc94da4949");
    assertThat(KEY.of("joe")).isNotEqualTo(KEY.of("jane"));
    assertThat(new IdempotencyKey("b:c").of("a")).isNotEqualTo(new IdempotencyKey("c").of("ab"));
    assertThat(KEY.of("jöhn €").of("jane")).isNotEqualTo(KEY.of("jane"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "a\n", "ä", "映画"})
  void hasVisibleCharactersOnly(String text) {
    assertThat(IdempotencyKey.parse(text)).isEmpty();
    assertThatThrownBy(() -> new IdempotencyKey(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hasSixtyFourOfThemAtMost() {
    assertThat(IdempotencyKey.parse("k".repeat(64))).isPresent();
    assertThat(IdempotencyKey.parse("k".repeat(65))).isEmpty();
  }

  @Test
  void belongsToOneContentWhoseAmountMayBeWrittenInSeveralWays() {
    var made = Reservation.of(KEY.reservationId(), asking("Jane", "30.00"));

    assertThat(made.fulfils(asking("Jane", "30.00"))).isTrue();
    assertThat(made.fulfils(asking("Jane", "30.0"))).isTrue();
    assertThat(made.fulfils(asking("Jane", "30.01"))).isFalse();
    assertThat(made.fulfils(asking("John", "30.00"))).isFalse();
  }

  private static ReservationRequest asking(String name, String amount) {
    return new ReservationRequest(
        name,
        "jane.doe@ucd.ie",
        new MovieId("CNW001"),
        LocalDate.of(2022, 4, 15),
        ShowTime.parse("18:00"),
        2,
        "Gold",
        new BigDecimal(amount));
  }
}
