package testbed.market.data;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table's data.
 *
 * @param name of the table
 * @param columns of the values in each row
 * @param rows can be read once
 */
public record Table(String name, List<String> columns, Stream<List<@Nullable Object>> rows) {}
