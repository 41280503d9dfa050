package testbed.support.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.DispatcherServlet;
import testbed.support.trace.TracingProfile;

/** Times requests of servlet services where they are not observed. */
@AutoConfiguration(
    beforeName = "org.springframework.boot.webmvc.autoconfigure.WebMvcObservationAutoConfiguration",
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, ServerHttpObservationFilter.class})
@ConditionalOnProperty(name = "testbed.web.timer", havingValue = "plain")
@Profile("!" + TracingProfile.NAME)
public class RequestMetrics {

  /** Where the framework's own is. */
  private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 1;

  @Bean
  @ConditionalOnBean(MeterRegistry.class)
  FilterRegistrationBean<ServerHttpObservationFilter> requestTimer(MeterRegistry meters) {
    var timer = new FilterRegistrationBean<ServerHttpObservationFilter>(new RequestTimer(meters));
    timer.setOrder(ORDER);
    timer.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
    return timer;
  }
}
