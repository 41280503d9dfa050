package testbed.feed.rate;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import testbed.feed.source.Source;

@Configuration(proxyBeanMethods = false)
class RateConfiguration {

  @Bean
  Rates rates(RateSettings settings, Source source) {
    return switch (settings.cache()) {
      case NONE -> source::euro;
      case SERVICE -> new KeptRates(settings, source::euro);
    };
  }
}
