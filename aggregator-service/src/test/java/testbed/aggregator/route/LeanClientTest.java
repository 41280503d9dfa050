package testbed.aggregator.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.support.testing.StandInServer.cinema;
import static testbed.support.testing.StandInServer.respond;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;
import testbed.aggregator.AggregatorSettings.Pool;
import testbed.aggregator.movie.CinemaRoute.Question;
import testbed.contracts.CinemaName;
import testbed.support.testing.StandInServer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What the lean client does with a connection. Deadlines are in the tests of the service. */
class LeanClientTest {

  private static final CinemaName UCD = new CinemaName("ucd");
  private static final int SIZE = 2;

  private final StandInServer server = new StandInServer().answersAsCinema("ucd");
  private final List<Integer> ports = new CopyOnWriteArrayList<>();
  private final PoolingHttpClientConnectionManager connections =
      PoolingHttpClientConnectionManagerBuilder.create().setMaxConnPerRoute(SIZE).build();
  private final LeanClient client =
      new LeanClient(
          connections,
          new Pool(SIZE, Duration.ofMillis(50), Duration.ofSeconds(30)),
          false,
          JsonMapper.builder().build());

  @AfterEach
  void close() {
    connections.close();
    server.close();
  }

  @Test
  void sendsSeveralQuestionsBeforeItReadsAnAnswer() {
    var first = ask();
    var second = ask();

    assertThat(second.answer().cinemaName()).isEqualTo(UCD);
    assertThat(first.answer().cinemaName()).isEqualTo(UCD);
  }

  @Test
  void keepsItsConnection() {
    server.does(this::answerAndNotePort);

    ask().answer();
    ask().answer();

    assertThat(ports).hasSize(2).containsOnly(ports.getFirst());
  }

  @Test
  void keepsItsConnectionAfterARefusal() {
    server.does(this::answerAndNotePort);
    ask().answer();
    server.answers(500, "application/problem+json", "{}");

    assertThatThrownBy(() -> ask().answer())
        .isInstanceOfSatisfying(
            RestClientResponseException.class,
            refusal -> assertThat(refusal.getStatusCode().value()).isEqualTo(500));

    server.does(this::answerAndNotePort);
    ask().answer();
    assertThat(ports).hasSize(2).containsOnly(ports.getFirst());
  }

  @Test
  void closesAConnectionThatTheServerDoesNotKeep() {
    server.does(
        request -> {
          request.getResponseHeaders().set("Connection", "close");
          answerAndNotePort(request);
        });

    for (int i = 0; i < SIZE + 1; i++) {
      ask().answer();
    }

    assertThat(ports).doesNotHaveDuplicates();
  }

  @Test
  void readsAnAnswerOnceAsLongAsItIsTheSame() {
    var first = ask().answer();
    assertThat(ask().answer()).isSameAs(first);

    server.answers(200, "application/json", cinema("ucd").replace("MOV001", "MOV002"));
    assertThat(ask().answer()).isNotEqualTo(first);
  }

  @Test
  void refusesAnAnswerThatIsNotComplete() {
    server.answers(200, "application/json", "{\"id\":");

    for (int i = 0; i < SIZE + 1; i++) {
      assertThatThrownBy(() -> ask().answer()).isInstanceOf(JacksonException.class);
    }
  }

  @Test
  void doesNotWaitForAConnectionForLong() {
    var open = List.of(ask(), ask());

    var third = ask();

    assertThatThrownBy(third::answer)
        .isInstanceOfSatisfying(
            ResourceAccessException.class,
            full -> assertThat(full.contains(ConnectionRequestTimeoutException.class)).isTrue());
    open.forEach(Question::answer);
    assertThat(ask().answer()).isNotNull();
  }

  @Test
  void saysThatAServerCannotBeReached() {
    var address = server.address();
    server.close();

    for (int i = 0; i < SIZE + 1; i++) {
      var question = client.ask(address, UCD);
      assertThatThrownBy(question::answer)
          .isInstanceOfSatisfying(
              ResourceAccessException.class,
              refused -> assertThat(refused.contains(BindException.class)).isFalse());
    }
  }

  private Question ask() {
    return client.ask(server.address(), UCD);
  }

  private void answerAndNotePort(HttpExchange request) throws IOException {
    ports.add(request.getRemoteAddress().getPort());
    respond(request, 200, "application/json", cinema("ucd"));
  }
}
