package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

@Entity
@Table(schema = "beans")
class Farm {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  private String name = "";

  /** Metres. */
  private @Nullable Integer altitude;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private @Nullable Region region;

  long id() {
    return Objects.requireNonNull(id);
  }

  String name() {
    return name;
  }

  void name(String changed) {
    name = changed;
  }

  @Nullable Integer altitude() {
    return altitude;
  }

  void altitude(@Nullable Integer changed) {
    altitude = changed;
  }

  Region region() {
    return Objects.requireNonNull(region);
  }

  void region(Region changed) {
    region = changed;
  }
}
