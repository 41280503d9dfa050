package testbed.support.preset;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which setting is wrong and what it may be, instead of a stack trace. */
class InvalidSettingAnalyzer extends AbstractFailureAnalyzer<InvalidSetting> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidSetting cause) {
    return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
  }
}
