package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Table;

@Entity
@Table(schema = "beans")
class Variety extends Named {

  @Enumerated(EnumType.STRING)
  private VarietyType type = VarietyType.ARABICA;

  VarietyType type() {
    return type;
  }

  void type(VarietyType changed) {
    type = changed;
  }
}
