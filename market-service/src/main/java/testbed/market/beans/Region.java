package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

@Entity
@Table(schema = "beans")
class Region extends Named {

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private @Nullable Country country;

  Country country() {
    return Objects.requireNonNull(country);
  }

  void country(Country changed) {
    country = changed;
  }
}
