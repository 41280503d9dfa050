package testbed.market.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import testbed.market.part.PartSettings;
import testbed.support.problem.FieldProblem;
import testbed.support.web.InvalidParameters;

/** Arguments of controllers' methods. */
@Configuration(proxyBeanMethods = false)
class MarketEdge implements WebMvcConfigurer {

  private final boolean front;

  MarketEdge(PartSettings process) {
    this.front = process.front();
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new Resolver(Parameters.class));
    resolvers.add(new Resolver(Client.class));
  }

  private final class Resolver implements HandlerMethodArgumentResolver {

    private final Class<?> type;

    Resolver(Class<?> type) {
      this.type = type;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return parameter.getParameterType() == type;
    }

    @Override
    public Object resolveArgument(
        MethodParameter parameter,
        @Nullable ModelAndViewContainer model,
        NativeWebRequest web,
        @Nullable WebDataBinderFactory binders) {
      var request = Objects.requireNonNull(web.getNativeRequest(HttpServletRequest.class));
      return type == Client.class ? client(request) : new Parameters(request);
    }
  }

  /** The token's client, if this process checks tokens. What clients say counts for nothing. */
  private Client client(HttpServletRequest request) {
    var checked = request.getUserPrincipal();
    if (checked != null) {
      return new Client(checked.getName());
    }
    if (front) {
      return Client.GUEST;
    }
    var names = Collections.list(request.getHeaders(Client.HEADER));
    if (names.size() == 1) {
      var client = Client.parse(names.getFirst());
      if (client.isPresent()) {
        return client.get();
      }
    }
    throw new InvalidParameters(
        List.of(new FieldProblem(Client.HEADER, "must be one client's name, from the front")));
  }
}
