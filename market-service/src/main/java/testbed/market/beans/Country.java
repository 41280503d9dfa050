package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.Table;

@Entity
@Table(schema = "beans")
class Country extends Named {}
