package testbed.support.trace;

import java.net.URI;
import java.util.List;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import testbed.support.preset.InvalidSetting;

/**
 * Activates tracing if a setting has the address for spans. A malformed address stops the start:
 * lost spans would be noticed much later.
 */
public class TracingProfile implements EnvironmentPostProcessor, Ordered {

  /** The profile of beans for tracing. */
  public static final String NAME = "tracing";

  static final String PROPERTY = "testbed.tracing";

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    var receiver = environment.getProperty(PROPERTY, "");
    if (receiver.isEmpty()) {
      return;
    }
    if (!isAddress(receiver)) {
      throw new InvalidSetting(
          "TESTBED_TRACING",
          receiver,
          List.of("an address like http://localhost:4318/v1/traces", "nothing, for no traces"));
    }
    environment.addActiveProfile(NAME);
  }

  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER - 1;
  }

  private static boolean isAddress(String text) {
    try {
      var address = URI.create(text);
      return ("http".equals(address.getScheme()) || "https".equals(address.getScheme()))
          && address.getHost() != null
          && address.getPath().length() > 1;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }
}
