package testbed.support.preset;

import java.util.List;

/** The preset: the named set of configuration values that every service starts with. */
class PresetProfile extends ChosenProfile {

  PresetProfile() {
    super("testbed.preset", "TESTBED_PRESET", List.of("tuned", "thesis"), "tuned");
  }
}
