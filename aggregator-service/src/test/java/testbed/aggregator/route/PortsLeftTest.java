package testbed.aggregator.route;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;

/** What is made of a system that has no local port left. */
class PortsLeftTest {

  private static final CinemaName UCD = new CinemaName("ucd");

  @Test
  @EnabledOnOs(OS.LINUX) // whose failure is what is recognised
  void recognisesTheSystemsFailureInWhatTheClientMakesOfIt() throws IOException {
    var route = measured(routeThatFailsWith(takenPort()));

    assertThatThrownBy(() -> route.ask(UCD).answer())
        .isInstanceOf(NoPortLeft.class)
        .returns(ProblemType.PORTS_EXHAUSTED, problem -> ((NoPortLeft) problem).type());
  }

  @Test
  void leavesACinemaThatCannotBeReachedAsItIs() {
    var route = measured(routeThatFailsWith(new ConnectException("refused")));

    assertThatThrownBy(() -> route.ask(UCD).answer())
        .isInstanceOf(ResourceAccessException.class)
        .hasRootCauseMessage("refused");
  }

  private static MeasuredRoute measured(CinemaRoute route) {
    return new MeasuredRoute(route, new SimpleMeterRegistry());
  }

  /** What the system says when every port that leads to an address is taken; here it is one. */
  private static IOException takenPort() throws IOException {
    try (var server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
        var first = new Socket();
        var second = new Socket()) {
      first.setReuseAddress(true);
      second.setReuseAddress(true);
      first.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      second.bind(first.getLocalSocketAddress());
      first.connect(server.getLocalSocketAddress());
      return catchThrowableOfType(
          BindException.class, () -> second.connect(server.getLocalSocketAddress()));
    }
  }

  private static GatewayRoute routeThatFailsWith(IOException failure) {
    var client =
        RestClient.builder()
            .requestFactory(
                (uri, method) ->
                    new MockClientHttpRequest(method, uri) {
                      @Override
                      protected ClientHttpResponse executeInternal() throws IOException {
                        throw failure;
                      }
                    })
            .build();
    CinemaClient asked =
        (address, cinema) -> () -> client.get().uri(address).retrieve().body(Cinema.class);
    return new GatewayRoute(asked, URI.create("http://localhost:8099"));
  }
}
