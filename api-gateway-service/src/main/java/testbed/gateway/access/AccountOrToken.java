package testbed.gateway.access;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;
import testbed.support.access.AccessRequired;

/** Matches where clients need an account, or a token in its place. */
final class AccountOrToken implements Condition {

  private final Condition account = new AccessRequired();

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    return MarketTokens.areChecked(context.getEnvironment()) || account.matches(context, metadata);
  }
}
