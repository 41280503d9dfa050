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
import testbed.tier.token.Tier;

@Entity
@Table(schema = "clients", name = "client")
class StoredClient {

  /** How far a client has come. */
  enum State {
    /** It does not exist yet: the token server has not confirmed it. */
    PENDING,
    ACTIVE,
    /** It exists no more, but perhaps at the token server. */
    REMOVING
  }

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  private String name = "";
  private String mail = "";

  @Enumerated(EnumType.STRING)
  private Tier subscriptionType = Tier.BASIC;

  private boolean enabled = true;

  @Enumerated(EnumType.STRING)
  private State state = State.ACTIVE;

  private long version;
  private @Nullable Long confirmed;

  /** Of the library. */
  StoredClient() {}

  StoredClient(String name, State state) {
    this.name = name;
    this.state = state;
  }

  long id() {
    return Objects.requireNonNull(id);
  }

  String name() {
    return name;
  }

  State state() {
    return state;
  }

  void become(State changed) {
    state = changed;
  }

  /** The number of the last change that the token server is to know. */
  long version() {
    return version;
  }

  void changed(long next) {
    version = next;
  }

  /** The token server has this change. */
  void confirm(long change) {
    confirmed = Math.max(change, confirmed == null ? change : confirmed);
  }

  /** Whether the token server has had this client. */
  boolean isRegistered() {
    return confirmed != null;
  }

  /** Whether there is nothing that the token server is to know. */
  boolean isInStep() {
    return state == State.ACTIVE && (confirmed == null || confirmed == version);
  }

  /**
   * Changes all but the name.
   *
   * @return whether the token server is to know it
   */
  boolean set(String changedMail, Tier changedType, boolean changedEnabled) {
    boolean differs = subscriptionType != changedType || enabled != changedEnabled;
    mail = changedMail;
    subscriptionType = changedType;
    enabled = changedEnabled;
    return differs;
  }

  /** What its tokens allow. */
  String scope() {
    return subscriptionType.scope();
  }

  boolean isEnabled() {
    return enabled;
  }

  ListedClient shown() {
    return new ListedClient(id(), name, mail, subscriptionType, enabled);
  }
}
