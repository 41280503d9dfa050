package testbed.cinema.reservation;

import jakarta.validation.constraints.PositiveOrZero;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * A factor: whether buyers compete.
 *
 * @param seats for each day and time at which a movie is shown; 0 for no limit
 */
@Validated
@ConfigurationProperties("cinema")
record SeatSettings(@DefaultValue("0") @PositiveOrZero int seats) {}
