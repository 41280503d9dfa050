package testbed.contracts;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;

/** Asks a cinema whether it shows the movie of this name at this time. */
public record ShowingQuery(
    @NotNull @Pattern(regexp = "(?s).{1,200}", message = "must have 1 to 200 characters") @PlainText
        String name,
    @NotNull ShowTime showTime) {}
