package testbed.market.token;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.support.access.Account;
import testbed.tier.token.TokenCheck;
import testbed.tier.token.TokenSettings;

/** The way to a token server whose clients are those of the market. */
@Configuration(proxyBeanMethods = false)
@PartOf(Part.CLIENTS)
@Conditional(RegistrationConfiguration.OwnTokens.class)
@EnableScheduling
class RegistrationConfiguration {

  /** {@code NAME:PASSWORD}; without it the token server's clients are not those of the market. */
  private static final String ACCOUNT = "market.tokens-account";

  @Bean
  TokenServer tokenServer(
      TokenSettings tokens, Environment environment, RestClient.Builder client) {
    var account = Account.valueOf(environment.getRequiredProperty(ACCOUNT));
    client
        .baseUrl(Objects.requireNonNull(tokens.tokensIssuer()))
        .defaultHeaders(
            headers ->
                headers.setBasicAuth(account.name(), account.password(), StandardCharsets.UTF_8));
    return new TokenServer(
        HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client.build()))
            .build()
            .createClient(RegistrationApi.class));
  }

  /** Matches where there are tokens, of a server that takes changes of clients. */
  static final class OwnTokens implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      var environment = context.getEnvironment();
      return TokenCheck.of(environment) != TokenCheck.OFF
          && !environment.getProperty(ACCOUNT, "").isBlank();
    }
  }
}
