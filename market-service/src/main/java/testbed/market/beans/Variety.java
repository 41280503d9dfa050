package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

@Entity
@Table(schema = "beans")
class Variety {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  private String name = "";

  @Enumerated(EnumType.STRING)
  private VarietyType type = VarietyType.ARABICA;

  long id() {
    return Objects.requireNonNull(id);
  }

  String name() {
    return name;
  }

  void name(String changed) {
    name = changed;
  }

  VarietyType type() {
    return type;
  }

  void type(VarietyType changed) {
    type = changed;
  }
}
