package testbed.market.clients;

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
@Table(schema = "clients", name = "client")
class StoredClient {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  private String name = "";
  private String mail = "";

  @Enumerated(EnumType.STRING)
  private Subscription subscriptionType = Subscription.BASIC;

  private boolean enabled = true;

  /** Of the library. */
  StoredClient() {}

  StoredClient(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  void set(String changedMail, Subscription changedType, boolean changedEnabled) {
    mail = changedMail;
    subscriptionType = changedType;
    enabled = changedEnabled;
  }

  ListedClient shown() {
    return new ListedClient(Objects.requireNonNull(id), name, mail, subscriptionType, enabled);
  }
}
