package testbed.support.access;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Holds where a front door asks for accounts. Reads the setting as its settings record does: what
 * the one takes for {@code required} must not be {@code off} for the other.
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
