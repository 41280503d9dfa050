package testbed.contracts;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;

/** Asks a cinema whether it shows the movie of this name at this time. */
public record ShowingQuery(
    @NotNull @Size(min = 1, max = 200) @PlainText String name, @NotNull ShowTime showTime) {}
