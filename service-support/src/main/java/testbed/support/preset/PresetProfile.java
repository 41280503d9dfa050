package testbed.support.preset;

import java.util.List;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Activates the profile named by {@code TESTBED_PRESET} (default {@code tuned}) before the
 * configuration files are read. A misspelt profile would be ignored silently, and a measurement
 * under the wrong preset is worse than none; a misspelt preset stops the start.
 */
class PresetProfile implements EnvironmentPostProcessor, Ordered {

  static final String SETTING = "testbed.preset";
  static final List<String> PRESETS = List.of("tuned", "thesis");

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    var preset = environment.getProperty(SETTING, "tuned");
    if (!PRESETS.contains(preset)) {
      throw new InvalidSetting("TESTBED_PRESET", preset, PRESETS);
    }
    environment.addActiveProfile(preset);
  }

  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER - 1;
  }
}
