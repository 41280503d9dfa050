package testbed.cinema.reservation;

import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * A factor: how reservations are stored.
 *
 * @param insertedTogether how many reservations one command stores at most, and takes limited seats
 *     for: those that come while others are being stored. 1 for each by itself, as always with
 *     traces on
 */
@Validated
@ConfigurationProperties("cinema")
record InsertionSettings(@DefaultValue("1") @Min(1) int insertedTogether) {}
