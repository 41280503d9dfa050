package testbed.support.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.filter.ServerHttpObservationFilter;

/** The plain timer beside the framework's filter. */
class RequestTimerTest {

  private final SimpleMeterRegistry plain = new SimpleMeterRegistry();
  private final SimpleMeterRegistry observed = new SimpleMeterRegistry();
  private final RequestTimer timer = new RequestTimer(plain);
  private final ServerHttpObservationFilter framework = framework(observed);

  @Test
  void namesTimersAsTheFrameworkDoes() throws Exception {
    bothServe("GET", "/cinema/{name}/movie/list", 200);
    bothServe("POST", "/reservation", 201);
    bothServe("GET", "", 200);
    bothServe("GET", null, 404);
    bothServe("GET", null, 302);
    bothServe("GET", null, 400);
    bothServe("BREW", null, 405);
    bothServe("GET", "/api/movie/list", 504);

    assertThat(series(plain)).isEqualTo(series(observed)).hasSize(8);
  }

  @Test
  void countsARequestThatFails() {
    for (var failure : new Exception[] {new IllegalStateException(), new ServletException()}) {
      for (var filter : Set.of(timer, framework)) {
        assertThatThrownBy(
                () ->
                    filter.doFilter(
                        new MockHttpServletRequest("GET", "/"),
                        new MockHttpServletResponse(),
                        (request, response) -> {
                          if (failure instanceof RuntimeException unchecked) {
                            throw unchecked;
                          }
                          throw (ServletException) failure;
                        }))
            .isSameAs(failure);
      }
    }

    assertThat(series(plain)).isEqualTo(series(observed)).hasSize(2);
  }

  @Test
  void timesAnAnswerThatIsGivenLaterOnce() throws Exception {
    var request = new MockHttpServletRequest("GET", "/");
    request.setAsyncSupported(true);
    var response = new MockHttpServletResponse();

    timer.doFilter(request, response, (asked, answered) -> asked.startAsync());
    assertThat(plain.getMeters()).isEmpty();

    request.setAsyncStarted(false);
    timer.doFilter(request, response, (asked, answered) -> {});
    assertThat(plain.get("http.server.requests").timer().count()).isEqualTo(1);
  }

  private void bothServe(String method, String path, int status) throws Exception {
    for (var filter : Set.of(timer, framework)) {
      var request = new MockHttpServletRequest(method, "/");
      FilterChain chain =
          (asked, answered) -> {
            if (path != null) {
              ServerHttpObservationFilter.findObservationContext(request)
                  .ifPresent(context -> context.setPathPattern(path));
            }
            ((HttpServletResponse) answered).setStatus(status);
          };
      filter.doFilter(request, new MockHttpServletResponse(), chain);
    }
  }

  private static ServerHttpObservationFilter framework(MeterRegistry meters) {
    var observations = ObservationRegistry.create();
    observations
        .observationConfig()
        .observationHandler(
            new DefaultMeterObservationHandler(
                meters, DefaultMeterObservationHandler.IgnoredMeters.LONG_TASK_TIMER));
    return new ServerHttpObservationFilter(observations);
  }

  private static Set<Meter.Id> series(MeterRegistry meters) {
    return meters.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
  }
}
