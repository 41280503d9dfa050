package testbed.support.preset;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says which setting is wrong and what it may be, instead of a stack trace. */
@Order(Ordered.HIGHEST_PRECEDENCE) // before the general analysis of binding failures
class InvalidSettingAnalyzer extends AbstractFailureAnalyzer<InvalidSetting> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidSetting cause) {
    return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
  }
}
