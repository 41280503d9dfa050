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
class Company {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  private String name = "";
  private @Nullable String phone;
  private @Nullable String email;

  long id() {
    return Objects.requireNonNull(id);
  }

  String name() {
    return name;
  }

  void name(String changed) {
    name = changed;
  }

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
