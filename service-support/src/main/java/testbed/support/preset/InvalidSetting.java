package testbed.support.preset;

import java.util.List;

/** A setting whose value is none of the choices; stops the start. */
public class InvalidSetting extends RuntimeException {

  private final String setting;
  private final List<String> choices;

  public InvalidSetting(String setting, String value, List<String> choices) {
    super(
        value.isEmpty()
            ? "%s is not set".formatted(setting)
            : "%s is '%s'".formatted(setting, value));
    this.setting = setting;
    this.choices = List.copyOf(choices);
  }

  String action() {
    return "Set %s to one of: %s.".formatted(setting, String.join(", ", choices));
  }
}
