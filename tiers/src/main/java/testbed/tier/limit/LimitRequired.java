package testbed.tier.limit;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches where the requests of clients are limited. */
public final class LimitRequired implements Condition {

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    return Counting.of(context.getEnvironment()) != Counting.OFF;
  }
}
