package testbed.market.database;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;
import testbed.market.part.Part;

/**
 * Where the parts of a process keep their data.
 *
 * @param databases one, with one pool of connections, for all parts of the process; or each part
 *     its own
 * @param indexes of the beans: seed (names), foreign-keys (names and references) or none (primary
 *     keys, when nothing keeps names apart)
 * @param scale how many times the regions of the seed, with their beans, are loaded into empty
 *     tables; 0 for no data
 * @param stock of what is loaded: real, or endless, which no load uses up
 * @param db the one database
 * @param beans what belongs to the beans
 * @param inventory what belongs to the inventory
 * @param clients what belongs to the clients
 * @param hibernate further properties of Hibernate
 */
@Validated
@ConfigurationProperties("market")
public record DatabaseSettings(
    @NotNull Sharing databases,
    @NotNull Indexes indexes,
    @Min(0) @Max(1_000) int scale,
    @NotNull Quantities stock,
    @NotNull @Valid Location db,
    @NotNull @Valid Owner beans,
    @NotNull @Valid Owner inventory,
    @NotNull @Valid Owner clients,
    @DefaultValue Map<String, String> hibernate) {

  /** How many databases the parts of a process have. */
  public enum Sharing {
    /** One for all parts. */
    ONE,
    /** Each part its own. */
    EACH
  }

  /** The indexes of the beans. */
  public enum Indexes {
    /** Of names. */
    SEED,
    /** Of names and of all references. */
    FOREIGN_KEYS,
    /** Of primary keys alone. */
    NONE;

    String folder() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** How much of each bean is loaded. */
  public enum Quantities {
    /** 100 to 1,000 kilograms. */
    REAL,
    /** A thousand tons. */
    ENDLESS
  }

  /**
   * A database, and the account for all of them.
   *
   * @param url of the one database
   * @param user may create schemas, in all databases
   * @param password of the user
   */
  public record Location(@NotEmpty String url, @NotEmpty String user, @NotNull String password) {}

  /**
   * A part's settings that are about its database.
   *
   * @param db its own database
   */
  public record Owner(@NotNull @Valid OwnLocation db) {}

  /**
   * A part's own database.
   *
   * @param url of the part's database, where each has its own
   */
  public record OwnLocation(@NotEmpty String url) {}

  String urlOf(Part part) {
    return switch (part) {
      case BEANS -> beans.db.url;
      case INVENTORY -> inventory.db.url;
      case CLIENTS -> clients.db.url;
    };
  }
}
