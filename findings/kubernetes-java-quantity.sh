#!/usr/bin/env bash
# client-java 27.0.0 (the Java client of Kubernetes), its Quantity.
# Guess: a quantity of 20,000,000,000 in BINARY_SI is written as this number, or with a binary suffix that is equal to
# it.
# What happens: that depends on the scale of its BigDecimal. 20000000000 is 19531250Ki, and 2E+10, which is equal to it
# by compareTo, is 2Ki: QuantityFormatter adds the decimal exponent of the BigDecimal to the binary one of the suffix,
# as if 10^10 were 2^10. With an exponent that is no multiple of ten (2E+9) it throws. In DECIMAL_SI all are right.
# Why it matters: a memory limit that a program has computed, and rounded by a MathContext, setScale(-10) or
# stripTrailingZeros(), becomes 2 KiB where 20 GB were meant: the container does not start.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.kubernetes:client-java:27.0.0 org.slf4j:slf4j-nop:2.0.17

cat > Memory.java <<'END'
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import java.math.*;

public class Memory extends Finding {

  /** What the client would send. */
  static String sent(BigDecimal bytes, Quantity.Format format) {
    var limits = new V1ResourceRequirements().putLimitsItem("memory", new Quantity(bytes, format));
    var json = new JSON().serialize(limits);
    System.out.println(bytes + " bytes in " + format + ": " + json);
    return json.replaceAll(".*\"memory\":\"([^\"]*)\".*", "$1");
  }

  public static void main(String[] arguments) {
    var plain = new BigDecimal("20000000000");
    // 20 % more than 16Gi, rounded to one digit
    var computed =
        new Quantity("16Gi").getNumber().multiply(new BigDecimal("1.2")).round(new MathContext(1, RoundingMode.DOWN));
    expect(computed.compareTo(plain) == 0, "both are the same number");
    expect(sent(plain, Quantity.Format.BINARY_SI).equals("19531250Ki"), "20000000000 is right");
    expect(sent(computed, Quantity.Format.BINARY_SI).equals("2Ki"), "2E+10 is 2Ki");
    expect(sent(plain.stripTrailingZeros(), Quantity.Format.BINARY_SI).equals("2Ki"), "without its zeros it is 2Ki");
    expect(sent(computed, Quantity.Format.DECIMAL_SI).equals("20G"), "in DECIMAL_SI it is right");
  }
}
END
run_java Memory
