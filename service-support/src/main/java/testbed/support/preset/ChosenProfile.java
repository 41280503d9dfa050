package testbed.support.preset;

import java.util.List;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Activates the profile that a setting names, before the configuration files are read. Spring
 * ignores an unknown profile, so that a measurement would run under the wrong one. An unknown
 * choice stops the start.
 */
public abstract class ChosenProfile implements EnvironmentPostProcessor, Ordered {

  private final String property;
  private final String environmentVariable;
  private final List<String> choices;

  protected ChosenProfile(String property, String environmentVariable, List<String> choices) {
    this.property = property;
    this.environmentVariable = environmentVariable;
    this.choices = List.copyOf(choices);
  }

  /** The default. Empty: the setting is required. */
  protected String defaultChoice(Environment environment) {
    return "";
  }

  /** The profile of a choice: its own name, unless another setting has the same choice. */
  protected String profile(String choice) {
    return choice;
  }

  @Override
  public final void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    var choice = environment.getProperty(property, defaultChoice(environment));
    if (!choices.contains(choice)) {
      throw new InvalidSetting(environmentVariable, choice, choices);
    }
    environment.addActiveProfile(profile(choice));
  }

  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER - 1;
  }
}
