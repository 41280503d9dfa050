package testbed.market.data;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetTest {

  private static List<List<Object>> rows(Dataset data, String table) {
    return Stream.concat(data.ofBeans().stream(), Stream.of(data.stock(false)))
        .filter(candidate -> candidate.name().equals(table))
        .findFirst()
        .orElseThrow()
        .rows()
        .toList();
  }

  private static List<Object> column(List<List<Object>> rows, int column) {
    return rows.stream().map(row -> row.get(column)).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 100})
  void hasTheCountsOfTheSeedAndGrowsByRegions(int scale) {
    var counts = new HashMap<String, Long>();
    var data = new Dataset(scale);
    for (var table : data.ofBeans()) {
      counts.put(table.name(), table.rows().count());
    }

    assertThat(counts)
        .isEqualTo(
            Map.of(
                "country", 36L,
                "region", 362L * scale,
                "farm", 569L * scale,
                "mill", 522L * scale,
                "company", 280L,
                "variety", 30L,
                "bean", 1_339L * scale));
    assertThat(data.stock(false).rows()).hasSize(1_339 * scale);
    assertThat(data.beans()).isEqualTo(1_339 * scale);
    assertThat(column(rows(data, "bean"), 4)).filteredOn(Objects::isNull).hasSize(59 * scale);
  }

  @Test
  void hasAsManyBeansInEachRegionAsTheSeed() {
    var data = new Dataset(10);
    var regionOfFarm = column(rows(data, "farm"), 3);
    var regionOfMill = column(rows(data, "mill"), 2);
    var inRegion = new HashMap<Object, Integer>();
    for (var bean : rows(data, "bean")) {
      if (bean.get(4) instanceof Integer farm && bean.get(5) instanceof Integer mill) {
        assertThat(regionOfFarm.get(farm - 1)).isEqualTo(regionOfMill.get(mill - 1));
        inRegion.merge(regionOfFarm.get(farm - 1), 1, Integer::sum);
      }
    }

    assertThat(inRegion).hasSize(3_620);
    assertThat(inRegion.get(1)).isEqualTo(35);
    assertThat(inRegion.values()).filteredOn(beans -> beans == 112).hasSize(10);
    assertThat(inRegion.values()).filteredOn(beans -> beans == 1).hasSize(2_030);
    assertThat(inRegion.values()).filteredOn(beans -> beans > 10).hasSize(250);
  }

  @Test
  void givesNoNameTwiceWhereItHasToBeUnique() {
    var data = new Dataset(100);

    for (var table : List.of("country", "company", "variety")) {
      assertThat(column(rows(data, table), 1)).doesNotHaveDuplicates();
    }
    assertThat(rows(data, "region")).extracting(row -> row.subList(1, 3)).doesNotHaveDuplicates();
    assertThat(rows(data, "farm"))
        .extracting(row -> List.of(row.get(1), row.get(3)))
        .doesNotHaveDuplicates();
    assertThat(rows(data, "mill")).extracting(row -> row.subList(1, 3)).doesNotHaveDuplicates();
  }

  @Test
  void hasNamesThatBreakCarelessFilters() {
    var names =
        Stream.of("country", "region", "farm", "mill", "company")
            .flatMap(table -> rows(new Dataset(1), table).stream())
            .map(row -> (String) row.get(1))
            .collect(Collectors.toSet());

    for (var part : List.of("'", "\"", "%", "_", "\\", "é", "Ñ", "ã")) {
      assertThat(names)
          .anySatisfy(name -> assertThat(name.toUpperCase()).contains(part.toUpperCase()));
    }
    assertThat(names).anyMatch(name -> name.length() == 200);
  }

  @Test
  void hasFullPagesInTheRegionThatLoadsAskFor() {
    var data = new Dataset(1);
    var oriente =
        rows(data, "region").stream()
            .filter(row -> row.get(1).equals("Oriente"))
            .map(row -> row.get(0))
            .collect(Collectors.toSet());
    var farms =
        rows(data, "farm").stream()
            .filter(row -> oriente.contains(row.get(3)))
            .map(row -> row.get(0))
            .collect(Collectors.toSet());

    assertThat(oriente).hasSize(1);
    // Varieties with odd ids are ARABICA.
    assertThat(rows(data, "bean"))
        .filteredOn(bean -> bean.get(4) != null && farms.contains(bean.get(4)))
        .filteredOn(bean -> ((Integer) bean.get(7)) % 2 == 1)
        .hasSizeGreaterThanOrEqualTo(50);
  }

  @Test
  void hidesTheRegionsOfBeansInTheirIds() {
    var first = column(rows(new Dataset(100), "bean"), 4).subList(0, 1_000);

    assertThat(first.stream().filter(Objects::nonNull).distinct()).hasSizeGreaterThan(900);
    assertThat(first.stream().filter(not(Objects::nonNull))).hasSizeBetween(20, 80);
  }

  @Test
  void givesThePricesToTheSameBeansWhereStockIsEndless() {
    var data = new Dataset(1);

    assertThat(data.stock(true).rows().map(row -> row.get(2)).toList())
        .isEqualTo(column(rows(data, "stock"), 2));
    assertThat(data.stock(true).rows()).allMatch(row -> row.get(1).equals(1_000_000));
    assertThat(rows(data, "stock"))
        .allMatch(row -> (Integer) row.get(1) >= 100 && (Integer) row.get(1) <= 1_000);
  }

  @Test
  void isTheSameOnEveryMachine() throws Exception {
    var digest = MessageDigest.getInstance("SHA-256");
    var data = new Dataset(1);
    Stream.concat(data.ofBeans().stream(), Stream.of(data.stock(false)))
        .flatMap(Table::rows)
        .forEach(row -> digest.update(row.toString().getBytes(StandardCharsets.UTF_8)));

    assertThat(HexFormat.of().formatHex(digest.digest())).startsWith("07db43872aed78bb");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1_001})
  void refusesAScaleThatItCannotMake(int scale) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Dataset(scale));
  }

  @Test
  void shufflesEachNumberOnce() {
    assertThat(Draw.of("order").shuffled(1_339))
        .containsExactlyInAnyOrder(IntStream.range(0, 1_339).toArray());
  }
}
