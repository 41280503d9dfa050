package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What a client calls its request, so that it can repeat the request without repeating its effect
 * (draft-ietf-httpapi-idempotency-key-header). Whoever knows the key can find the reservation.
 */
public record IdempotencyKey(@JsonValue String value) {

  private static final Pattern VISIBLE = Pattern.compile("[!-~]{1,64}");

  /** Separates our ids from any other hash of the same key. */
  private static final byte[] NAMESPACE =
      "urn:testbed:reservation:".getBytes(StandardCharsets.UTF_8);

  private static final long VERSION_BITS = 0xF000L;
  private static final long VERSION_8 = 0x8000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long VARIANT_FREE_BITS = 0x3FFF_FFFF_FFFF_FFFFL;

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public IdempotencyKey {
    if (!VISIBLE.matcher(value).matches()) {
      throw new IllegalArgumentException("an idempotency key has 1 to 64 visible characters");
    }
  }

  /** The key that is written like this, if it can be one. */
  public static Optional<IdempotencyKey> parse(String text) {
    return VISIBLE.matcher(text).matches()
        ? Optional.of(new IdempotencyKey(text))
        : Optional.empty();
  }

  /**
   * The id of the reservation that is made under this key: a UUID version 8 (RFC 9562) of the key's
   * SHA-256 hash. So that the same key is the same reservation, whoever is asked and whenever.
   */
  public ReservationId reservationId() {
    try {
      var hash = MessageDigest.getInstance("SHA-256");
      hash.update(NAMESPACE);
      var bits = ByteBuffer.wrap(hash.digest(value.getBytes(StandardCharsets.UTF_8)));
      long high = bits.getLong() & ~VERSION_BITS | VERSION_8;
      long low = bits.getLong() & VARIANT_FREE_BITS | VARIANT;
      return new ReservationId(new UUID(high, low));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
