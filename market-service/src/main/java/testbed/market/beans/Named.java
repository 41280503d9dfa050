package testbed.market.beans;

import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An entry with a name: all but beans. */
@MappedSuperclass
abstract class Named {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  private String name = "";

  long id() {
    return Objects.requireNonNull(id);
  }

  String name() {
    return name;
  }

  void name(String changed) {
    name = changed;
  }
}
