package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

@Entity
@Table(schema = "beans")
class Company extends Named {

  private @Nullable String phone;
  private @Nullable String email;

  @Nullable String phone() {
    return phone;
  }

  @Nullable String email() {
    return email;
  }

  void contact(@Nullable String changedPhone, @Nullable String changedEmail) {
    phone = changedPhone;
    email = changedEmail;
  }
}
