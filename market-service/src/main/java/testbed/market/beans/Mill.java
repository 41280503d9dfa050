package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

@Entity
@Table(schema = "beans")
class Mill extends Named {

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private @Nullable Region region;

  Region region() {
    return Objects.requireNonNull(region);
  }

  void region(Region changed) {
    region = changed;
  }
}
