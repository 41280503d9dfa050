package testbed.market.part;

import jakarta.validation.constraints.NotEmpty;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Which parts a process has.
 *
 * @param parts of this process: all of them are a monolith
 * @param front whether clients reach this process without a gateway: then the header that names the
 *     client is ignored, and there are no paths for other parts
 */
@Validated
@ConfigurationProperties("market")
public record PartSettings(@NotEmpty Set<Part> parts, boolean front) {

  public PartSettings {
    parts = Set.copyOf(parts);
  }
}
