package testbed.market.beans;

import jakarta.persistence.EntityManager;
import jakarta.persistence.TypedQuery;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The conditions of a query. */
final class Filter {

  private final StringJoiner conditions =
      new StringJoiner(" and ", " where ", "").setEmptyValue("");
  private final Map<String, Object> values = new HashMap<>();

  /**
   * Adds a condition if there is a value.
   *
   * @param path of the entity
   */
  Filter equal(String path, @Nullable Object value) {
    if (value != null) {
      var name = "value" + values.size();
      conditions.add("%s = :%s".formatted(path, name));
      values.put(name, value);
    }
    return this;
  }

  /**
   * Makes the query.
   *
   * @param selection up to the conditions
   */
  <T> TypedQuery<T> query(EntityManager entities, String selection, String order, Class<T> type) {
    var query = entities.createQuery(selection + conditions + " order by " + order, type);
    values.forEach(query::setParameter);
    return query;
  }
}
