package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;

/** A gateway that is about to end. */
class LastAnswersTest extends RunningGateway {

  @Autowired ApplicationContext gateway;

  @AfterEach
  void goOn() {
    AvailabilityChangeEvent.publish(gateway, ReadinessState.ACCEPTING_TRAFFIC);
  }

  @Test
  void closeTheirConnection() throws Exception {
    service.answersAsCinema("odeon");
    registerCinema("odeon");
    assertThat(connectionAfterAnswer()).isEmpty();

    AvailabilityChangeEvent.publish(gateway, ReadinessState.REFUSING_TRAFFIC);

    assertThat(connectionAfterAnswer()).hasValue("close");
  }

  private Optional<String> connectionAfterAnswer() throws Exception {
    try (var client = HttpClient.newBuilder().version(Version.HTTP_1_1).build()) {
      var request =
          HttpRequest.newBuilder(
                  URI.create("http://localhost:%d/cinema/odeon/movie/list".formatted(port)))
              .build();
      var answer = client.send(request, BodyHandlers.discarding());
      assertThat(answer.statusCode()).isEqualTo(200);
      return answer.headers().firstValue("Connection");
    }
  }
}
