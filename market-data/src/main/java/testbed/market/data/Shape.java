package testbed.market.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How many beans each region has, by country. The country with most beans comes first, and in it
 * the region with most.
 *
 * @param countries the beans of each region of each country
 */
record Shape(List<List<Integer>> countries) {

  static Shape read() {
    var countries = new ArrayList<List<Integer>>();
    var file = Objects.requireNonNull(Shape.class.getResourceAsStream("regions.csv"));
    try (var lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.US_ASCII))) {
      lines
          .lines()
          .skip(1)
          .map(line -> line.split(","))
          .forEach(
              cells -> {
                if (Integer.parseInt(cells[0]) > countries.size()) {
                  countries.add(new ArrayList<>());
                }
                countries.getLast().add(Integer.parseInt(cells[1]));
              });
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return new Shape(countries);
  }
}
