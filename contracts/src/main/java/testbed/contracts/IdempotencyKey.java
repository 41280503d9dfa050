package testbed.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What a client calls its request, so that it can repeat the request without repeating its effect
 * (draft-ietf-httpapi-idempotency-key-header). Where there are accounts, it is one account's.
 */
public record IdempotencyKey(@JsonValue String value) {

  private static final Pattern VISIBLE = Pattern.compile("[!-~]{1,64}");

  /** Separate our hashes from any others of the same key. */
  private static final String RESERVATION = "urn:testbed:reservation:";

  private static final String ACCOUNT = "urn:testbed:account:";

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
    var bits = ByteBuffer.wrap(hash(RESERVATION + value));
    long high = bits.getLong() & ~VERSION_BITS | VERSION_8;
    long low = bits.getLong() & VARIANT_FREE_BITS | VARIANT;
    return new ReservationId(new UUID(high, low));
  }

  /**
   * The key under which a front door passes on this account's request: another account's equal key
   * becomes another one.
   *
   * @param account its name, which has no colon
   */
  public IdempotencyKey of(String account) {
    return new IdempotencyKey(HexFormat.of().formatHex(hash(ACCOUNT + account + ":" + value)));
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
