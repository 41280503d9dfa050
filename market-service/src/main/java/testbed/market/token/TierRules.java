package testbed.market.token;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import testbed.tier.limit.LimitRequired;
import testbed.tier.limit.LimitSettings;
import testbed.tier.limit.TierLimits;
import testbed.tier.token.TokenSettings;

/** How many requests clients may make, by their tokens. Behind a gateway, that counts them. */
@Configuration(proxyBeanMethods = false)
@Conditional(LimitRequired.class)
@ConditionalOnBooleanProperty("market.front")
@EnableConfigurationProperties(LimitSettings.class)
class TierRules {

  @Bean
  TierLimits tierLimits(LimitSettings settings, TokenSettings tokens) {
    return TierLimits.of(settings, tokens);
  }
}
