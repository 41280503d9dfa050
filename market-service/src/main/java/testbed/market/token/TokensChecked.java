package testbed.market.token;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;
import testbed.tier.token.TokenCheck;

/** Matches where this process checks tokens: everywhere, or as the front. */
class TokensChecked implements Condition {

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    var environment = context.getEnvironment();
    return switch (TokenCheck.of(environment)) {
      case OFF -> false;
      case FRONT -> environment.getProperty("market.front", Boolean.class, true);
      case EVERYWHERE -> true;
    };
  }
}
