package testbed.feed.source;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * What the source says a currency is worth.
 *
 * @param asOf when the source said so
 */
public record ExchangeRate(String base, String quote, BigDecimal rate, Instant asOf) {}
