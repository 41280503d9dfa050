package testbed.support.access;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches where a front door asks for accounts. Binds the setting as the settings record does, so
 * that both read the same value.
 */
public final class AccessRequired implements Condition {

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    return Binder.get(context.getEnvironment())
            .bind("access.control", AccessControl.class)
            .orElse(AccessControl.REQUIRED)
        == AccessControl.REQUIRED;
  }
}
