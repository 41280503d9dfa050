package testbed.broker.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorrelationIdsTest {

  private static final Instant NOW = Instant.parse("2026-11-21T10:15:30.123Z");

  private static final Client JANE = new Client("jane");

  private final CorrelationIds ids = new CorrelationIds(InstantSource.fixed(NOW));

  @Test
  void issuesUuidsOfVersion7() {
    var id = ids.next(JANE).value();

    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(NOW.toEpochMilli());
  }

  @Test
  void issuesDifferentIdsAtTheSameMoment() {
    var issued = Stream.generate(() -> ids.next(JANE)).limit(10_000).collect(Collectors.toSet());

    assertThat(issued).hasSize(10_000);
  }

  @Test
  void recognisesItsOwnIds() {
    assertThat(Stream.generate(() -> ids.next(JANE)).limit(1_000))
        .allMatch(id -> ids.issued(id, JANE));
  }

  @Test
  void recognisesThemForTheirClientOnly() {
    assertThat(ids.issued(ids.next(JANE), new Client("john"))).isFalse();
  }

  @Test
  void doesNotRecogniseIdsThatDifferInOneBit() {
    var id = ids.next(JANE).value();

    assertThat(
            LongStream.range(0, 64)
                .mapToObj(
                    bit ->
                        Stream.of(
                            new UUID(
                                id.getMostSignificantBits() ^ (1L << bit),
                                id.getLeastSignificantBits()),
                            new UUID(
                                id.getMostSignificantBits(),
                                id.getLeastSignificantBits() ^ (1L << bit))))
                .flatMap(changed -> changed)
                .map(CorrelationId::new))
        .noneMatch(changed -> ids.issued(changed, JANE));
  }

  @Test
  void doesNotRecogniseIdsOfAnotherProcess() {
    var others = new CorrelationIds(InstantSource.fixed(NOW));

    assertThat(ids.issued(others.next(JANE), JANE)).isFalse();
    assertThat(ids.issued(new CorrelationId(UUID.randomUUID()), JANE)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1-1-1-1-1",
        "01a1fba1-e13c-71f6-949c-c86d2cf9874",
        "01a1fba1-e13c-71f6-949c-c86d2cf98749 ",
        "01a1fba1e13c71f6949cc86d2cf98749",
        "g1a1fba1-e13c-71f6-949c-c86d2cf98749"
      })
  void readsUuidsInTheirFullFormOnly(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> CorrelationId.valueOf(text));
  }
}
