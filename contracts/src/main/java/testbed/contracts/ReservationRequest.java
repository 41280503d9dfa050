package testbed.contracts;

import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.math.BigDecimal;
import java.time.LocalDate;

/**
 * What a client asks for (thesis, listing 4.14). The constraints are those that need no catalogue;
 * both front doors check them before anything else happens, so that past an edge every component is
 * there. Whether the movie is shown at that time, only the cinema knows. Lengths are in characters,
 * as OpenAPI counts them; a size would be in Java's halves of some.
 *
 * @param date the day of the showing; the past is allowed because the published plans use 2022
 * @param tickets how many, 1 to 20
 * @param amount paid in euro, 0 or more, at most two decimals
 */
public record ReservationRequest(
    @Shown
        @Pattern(regexp = "(?s).{0,200}", message = "must not have more than 200 characters")
        @PlainText
        String clientName,
    @Shown
        @Email
        @Pattern(regexp = Shown.THROUGHOUT, message = "must be a well-formed email address")
        @Pattern(regexp = "(?s).{0,254}", message = "must not have more than 254 characters")
        @PlainText
        String clientEmail,
    @NotNull MovieId movieId,
    @NotNull LocalDate date,
    @NotNull ShowTime showTime,
    @NotNull @Min(1) @Max(20) Integer tickets,
    @Shown
        @Pattern(regexp = "(?s).{0,50}", message = "must not have more than 50 characters")
        @PlainText
        String ticketType,
    @NotNull @DecimalMin("0") @Digits(integer = 9, fraction = 2) BigDecimal amount) {}
