package testbed.support.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.IdempotencyKey;

class IdempotencyKeysTest {

  private final MockMvcTester http =
      MockMvcTester.of(
          List.of(new Echo()),
          mvc ->
              mvc.setControllerAdvice(new ProblemAdvice())
                  .setCustomArgumentResolvers(new IdempotencyKeys())
                  .build());

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      value = {
        "key, key",
        "~\"key\"~, key",
        "~\"a,b;c\"~, ~a,b;c~",
        "~\"a\\\"b\\\\c\"~, ~a\"b\\c~",
        "8e03978e-40d5-43e8-bc93-6894a57f9324, 8e03978e-40d5-43e8-bc93-6894a57f9324"
      })
  void areReadWithAndWithoutQuotes(String header, String key) {
    assertThat(post(header)).hasStatusOk().bodyText().isEqualTo(key);
  }

  @Test
  void areOptional() {
    assertThat(post()).hasStatusOk().bodyText().isEqualTo("none");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\"\"",
        "a b",
        "\"a b\"",
        "\"a",
        "a\"",
        "\"a\"b",
        "a,b",
        "\"a\", \"b\"",
        "a;b=c"
      })
  void areRefusedIfTheyCannotBeTaken(String header) {
    assertRefused(post(header));
  }

  @Test
  void areRefusedIfThereAreTwo() {
    assertRefused(post("a", "b"));
  }

  @Test
  void areRefusedIfTheyAreTooLong() {
    assertThat(post("k".repeat(64))).hasStatusOk();
    assertRefused(post("k".repeat(65)));
  }

  @Test
  void areOthersForEachAccount() {
    var request = http.post().uri("/").header("Idempotency-Key", "key").principal(() -> "jane");

    assertThat(request.exchange())
        .bodyText()
        .isEqualTo(new IdempotencyKey("key").of("jane").value());
  }

  private static void assertRefused(MvcTestResult answer) {
    assertThat(answer).hasStatus(400).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
    assertThat(answer).bodyJson().extractingPath("$.errors[0].field").isEqualTo("Idempotency-Key");
  }

  private MvcTestResult post(String... keys) {
    var request = http.post().uri("/");
    if (keys.length > 0) {
      request.header("Idempotency-Key", (Object[]) keys);
    }
    return request.exchange();
  }

  @RestController
  static class Echo {

    @PostMapping("/")
    String echo(@Nullable IdempotencyKey key) {
      return key == null ? "none" : key.value();
    }
  }
}
