package testbed.support.preset;

import java.util.List;
import org.springframework.core.env.Environment;

/** The preset: the named set of configuration values that every service starts with. */
public class PresetProfile extends ChosenProfile {

  private static final String PROPERTY = "testbed.preset";
  private static final String THESIS = "thesis";
  private static final String TUNED = "tuned";

  PresetProfile() {
    super(PROPERTY, "TESTBED_PRESET", List.of(TUNED, THESIS));
  }

  /** Whether the service starts as the thesis describes it. */
  public static boolean isThesis(Environment environment) {
    return THESIS.equals(environment.getProperty(PROPERTY));
  }

  @Override
  protected String defaultChoice(Environment environment) {
    return TUNED;
  }
}
