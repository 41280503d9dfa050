package testbed.broker.operation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Issues correlation ids and recognises them later, without storing them: an expired id (410)
 * differs from one that was never issued (404).
 *
 * <p>An id is a UUID version 7 (RFC 9562): 48 bits of time in milliseconds and 74 bits that an
 * outsider cannot predict. The last 24 of these are a keyed hash of the others. A made-up id is
 * recognised once in 16 million tries, and the only answer is then "expired". The key lives as long
 * as the process: after a restart earlier ids are unknown.
 *
 * <p>The hash includes the client's name, so that the id of another client is unknown, too, and
 * never "expired".
 */
final class CorrelationIds {

  private static final String HASH = "HmacSHA256";
  private static final int HASH_BITS = 24;
  private static final long HASH_MASK = (1L << HASH_BITS) - 1;
  private static final long VERSION_7 = 0x7000L;
  private static final long VERSION_FREE_BITS = 0x0FFFL;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long VARIANT_FREE_BITS = 0x3FFF_FFFF_FFFF_FFFFL;

  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  /** Is copied: to look the algorithm up each time would cost as much as the hash. */
  private final Mac keyed;

  CorrelationIds(InstantSource clock) {
    this.clock = clock;
    var secret = new byte[32];
    random.nextBytes(secret);
    try {
      this.keyed = Mac.getInstance(HASH);
      keyed.init(new SecretKeySpec(secret, HASH));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java platform has " + HASH, impossible);
    }
  }

  CorrelationId next(Client client) {
    var drawn = new byte[Short.BYTES + Long.BYTES];
    random.nextBytes(drawn);
    var bits = ByteBuffer.wrap(drawn);
    long time = clock.millis() << 16;
    long high = time | VERSION_7 | (bits.getShort() & VERSION_FREE_BITS);
    long low = VARIANT | (bits.getLong() & VARIANT_FREE_BITS & ~HASH_MASK);
    return new CorrelationId(new UUID(high, low | hash(high, low, client)));
  }

  /** Whether {@code id} came from {@link #next} for this client. */
  boolean issued(CorrelationId id, Client client) {
    long high = id.value().getMostSignificantBits();
    long low = id.value().getLeastSignificantBits();
    return (low & HASH_MASK) == hash(high, low & ~HASH_MASK, client);
  }

  private long hash(long high, long low, Client client) {
    var mac = copy();
    mac.update(ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).flip());
    var name = client.name().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.wrap(mac.doFinal(name)).getLong() & HASH_MASK;
  }

  private Mac copy() {
    try {
      return (Mac) keyed.clone();
    } catch (CloneNotSupportedException impossible) {
      throw new IllegalStateException("a hash of the platform can be copied", impossible);
    }
  }
}
