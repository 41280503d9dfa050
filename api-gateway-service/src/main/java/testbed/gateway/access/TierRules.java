package testbed.gateway.access;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import testbed.gateway.problem.ProblemResponses;
import testbed.tier.limit.LimitRequired;
import testbed.tier.limit.LimitSettings;
import testbed.tier.limit.TierLimits;
import testbed.tier.token.TokenSettings;

/** How many requests clients of the market may make, by their tokens. */
@Configuration(proxyBeanMethods = false)
@Conditional(LimitRequired.class)
@ConditionalOnBooleanProperty("gateway.route.market")
@EnableConfigurationProperties(LimitSettings.class)
class TierRules {

  @Bean
  TierLimits tierLimits(LimitSettings settings, TokenSettings tokens) {
    return TierLimits.of(settings, tokens);
  }

  @Bean
  TierLimit tierLimit(TierLimits limits, ProblemResponses problems) {
    return new TierLimit(limits, problems);
  }
}
