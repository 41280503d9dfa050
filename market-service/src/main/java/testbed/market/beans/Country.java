package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

@Entity
@Table(schema = "beans")
class Country {

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
