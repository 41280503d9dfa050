package testbed.market.data;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The data that the market begins with.
 *
 * <p>Ids start at 1. Those of beans have nothing to do with the beans' regions: else the first
 * beans of the first region would be found at once.
 */
public final class Dataset {

  /** Beans that are in no region, for each unit of the scale. */
  static final int WITHOUT_REGION = 59;

  static final int COMPANIES = 280;

  /** Kilograms of each bean where stock must not run out. */
  static final int ENDLESS = 1_000_000;

  private static final double FARMS_PER_BEAN = 0.317;
  private static final double MILLS_PER_BEAN = 0.265;

  private static final List<@Nullable String> METHODS =
      Arrays.asList(
          "Washed / Wet",
          "Natural / Dry",
          "Semi-washed / Semi-pulped",
          "Pulped natural / honey",
          null);
  private static final List<@Nullable String> COLORS =
      Arrays.asList("Green", "Bluish-Green", "Blue-Green", "Brown", null);

  private final List<Region> regions;
  private final List<Place> farms;
  private final List<Place> mills;
  private final List<Grown> beans;
  private final int[] order;

  private record Region(int country, int number, int beans) {}

  /** A farm or a mill. */
  private record Place(int region, int number) {}

  /** Where a bean comes from, by index; -1 for nowhere. */
  private record Grown(int farm, int mill) {}

  /**
   * Makes the data of a scale: so many times the regions of each country, each with as many beans
   * as at scale 1.
   *
   * @throws IllegalArgumentException if the scale is not from 1 to 1000
   */
  public Dataset(int scale) {
    if (scale < 1 || scale > 1_000) {
      throw new IllegalArgumentException("scale %d is not from 1 to 1000".formatted(scale));
    }
    regions = new ArrayList<>();
    farms = new ArrayList<>();
    mills = new ArrayList<>();
    beans = new ArrayList<>();
    var countries = Shape.read().countries();
    for (int time = 0; time < scale; time++) {
      for (int country = 0; country < countries.size(); country++) {
        var sizes = countries.get(country);
        for (int number = 0; number < sizes.size(); number++) {
          add(new Region(country, time * sizes.size() + number, sizes.get(number)));
        }
      }
    }
    for (int bean = 0; bean < scale * WITHOUT_REGION; bean++) {
      beans.add(new Grown(-1, -1));
    }
    order = Draw.of("order").shuffled(beans.size());
  }

  private void add(Region region) {
    int firstFarm = farms.size();
    int firstMill = mills.size();
    addPlaces(farms, count(FARMS_PER_BEAN, region.beans()));
    addPlaces(mills, count(MILLS_PER_BEAN, region.beans()));
    for (int bean = 0; bean < region.beans(); bean++) {
      beans.add(
          new Grown(
              firstFarm + bean % (farms.size() - firstFarm),
              firstMill + bean % (mills.size() - firstMill)));
    }
    regions.add(region);
  }

  private void addPlaces(List<Place> places, int count) {
    for (int number = 0; number < count; number++) {
      places.add(new Place(regions.size(), number));
    }
  }

  private static int count(double share, int beans) {
    return Math.max(1, (int) Math.floor(share * beans + 0.5));
  }

  /** Returns how many beans there are; their ids are 1 to this. */
  public int beans() {
    return beans.size();
  }

  /** Returns the tables of the beans' part, those first that others refer to. */
  public List<Table> ofBeans() {
    var altitude = Draw.of("altitude");
    return List.of(
        table(
            "country",
            List.of("id", "name"),
            Names.COUNTRIES.size(),
            place -> row(place + 1, Names.COUNTRIES.get(place))),
        table(
            "region",
            List.of("id", "name", "country_id"),
            regions.size(),
            place -> {
              var region = regions.get(place);
              return row(
                  place + 1, Names.region(region.country(), region.number()), region.country() + 1);
            }),
        table(
            "farm",
            List.of("id", "name", "altitude", "region_id"),
            farms.size(),
            place -> {
              var farm = farms.get(place);
              return row(
                  place + 1,
                  Names.farm(farm.region(), farm.number()),
                  unlessOneIn(6, altitude, place, altitude.below(2_501, place)),
                  farm.region() + 1);
            }),
        table(
            "mill",
            List.of("id", "name", "region_id"),
            mills.size(),
            place -> {
              var mill = mills.get(place);
              return row(place + 1, Names.mill(mill.region(), mill.number()), mill.region() + 1);
            }),
        table(
            "company",
            List.of("id", "name", "phone", "email"),
            COMPANIES,
            place ->
                row(
                    place + 1,
                    Names.company(place),
                    place % 3 == 0 ? null : "+%d".formatted(10_000_000 + place),
                    place % 4 == 0 ? null : "sales@company-%d.example.org".formatted(place))),
        table(
            "variety",
            List.of("id", "name", "type"),
            Names.VARIETIES.size(),
            place ->
                row(
                    place + 1,
                    Names.VARIETIES.get(place),
                    // In turn: so no type is without beans.
                    place % 2 == 0 ? "ARABICA" : "ROBUSTA")),
        table(
            "bean",
            List.of(
                "id",
                "harvest_year",
                "processing_method",
                "color",
                "farm_id",
                "mill_id",
                "company_id",
                "variety_id"),
            beans.size(),
            this::bean));
  }

  private List<@Nullable Object> bean(int place) {
    var grown = beans.get(order[place]);
    var year = Draw.of("year");
    return row(
        place + 1,
        unlessOneIn(20, year, place, 2_009 + year.below(10, place)),
        METHODS.get(Draw.of("method").below(METHODS.size(), place)),
        COLORS.get(Draw.of("color").below(COLORS.size(), place)),
        grown.farm() < 0 ? null : grown.farm() + 1,
        grown.mill() < 0 ? null : grown.mill() + 1,
        Draw.of("company").below(COMPANIES, place) + 1,
        variety(place) + 1);
  }

  /**
   * Returns the stock of all beans.
   *
   * @param endless as much of each as no load can take
   */
  public Table stock(boolean endless) {
    var quantity = Draw.of("quantity");
    var price = Draw.of("price");
    return table(
        "stock",
        List.of("bean_id", "quantity", "price"),
        beans.size(),
        place ->
            row(
                place + 1,
                endless ? ENDLESS : 100 + quantity.below(901, place),
                BigDecimal.valueOf(500 + price.below(5_501, place), 2)));
  }

  /**
   * A variety is half as frequent if it is twice as far down. How frequent they were is not known.
   */
  private static int variety(int place) {
    int varieties = Names.VARIETIES.size();
    double all = IntStream.rangeClosed(1, varieties).mapToDouble(rank -> 1.0 / rank).sum();
    double left = all * Draw.of("variety").below(1_000_000, place) / 1_000_000;
    int rank = 1;
    while (rank < varieties && left >= 1.0 / rank) {
      left -= 1.0 / rank;
      rank++;
    }
    return rank - 1;
  }

  private static @Nullable Integer unlessOneIn(int share, Draw draw, int place, int value) {
    return draw.below(share, -2L - place) == 0 ? null : value;
  }

  private static List<@Nullable Object> row(@Nullable Object... values) {
    return Arrays.asList(values);
  }

  private static Table table(
      String name, List<String> columns, int rows, IntFunction<List<@Nullable Object>> row) {
    return new Table(name, columns, IntStream.range(0, rows).mapToObj(row));
  }
}
