package testbed.contracts;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;

/** Asks a cinema whether it shows the movie of this name at this time. */
public record ShowingQuery(
    @Shown
        @Pattern(regexp = "(?s).{0,200}", message = "must not have more than 200 characters")
        @PlainText
        String name,
    @NotNull ShowTime showTime) {}
