package testbed.cinema;

import jakarta.validation.constraints.Min;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import org.springframework.validation.annotation.Validated;
import testbed.cinema.JoinedCalls.Call;
import testbed.support.deadline.Deadline;
import testbed.support.trace.TracingProfile;

/** How the cinema asks its database: with a command for each call, or for several. */
@Component
public class Joining {

  /**
   * A factor: which calls share a command.
   *
   * @param insertedTogether how many reservations one command stores at most, and takes limited
   *     seats for: those that come while others are being stored. 1 for each by itself, as always
   *     with traces on
   * @param readTogether how many requests one query answers at most: those that come while others
   *     are being answered. 1 for a query each, as always with traces on
   */
  @Validated
  @ConfigurationProperties("cinema")
  public record Settings(
      @DefaultValue("1") @Min(1) int insertedTogether,
      @DefaultValue("1") @Min(1) int readTogether) {}

  private final Settings settings;

  /** A command for several requests belongs to no single trace. */
  private final boolean traced;

  public Joining(Settings settings, Environment environment) {
    this.settings = settings;
    this.traced = environment.matchesProfiles(TracingProfile.NAME);
  }

  /** Calls that read. */
  public <Q, A> JoinedCalls<Q, A> reads(Consumer<List<Call<Q, A>>> query) {
    return new JoinedCalls<>(traced ? 1 : settings.readTogether(), deadline -> true, query);
  }

  /** Calls that write: those whose callers will learn the result. */
  public <Q, A> JoinedCalls<Q, A> writes(Consumer<List<Call<Q, A>>> command) {
    return new JoinedCalls<>(
        traced ? 1 : settings.insertedTogether(), Deadline::hasMargin, command);
  }
}
