package testbed.cinema.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.cinema.Examples.janesReservation;

import io.micrometer.observation.ObservationRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;
import testbed.cinema.ticket.TicketService.NoAnswer;
import testbed.contracts.ReservationId;
import testbed.support.testing.StandInServer;
import testbed.ticket.TicketSettings;
import testbed.ticket.TicketSettings.Overflow;
import testbed.ticket.office.Tickets.Found;
import testbed.ticket.office.TicketsRefused;

@Timeout(60)
class TicketServiceTest {

  private static final TicketSettings SETTINGS =
      new TicketSettings(0, Overflow.NONE, 1, 1, DataSize.ofMegabytes(1), Duration.ofMinutes(5));
  private static final String PDF = "application/pdf";

  private final StandInServer server = new StandInServer();
  private final TicketService tickets = at(server.address());
  private final ReservationId id = new ReservationId(UUID.randomUUID());

  @AfterEach
  void close() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201})
  void ordersATicketByItsId(int status) {
    server.answers(status, PDF, "");

    assertThatCode(() -> tickets.order(id, janesReservation())).doesNotThrowAnyException();

    assertThat(server.requests()).containsExactly("PUT /tickets/" + id);
  }

  @Test
  void passesARefusalOn() {
    server.answers(503, "application/problem+json", "{}");

    assertThatThrownBy(() -> tickets.order(id, janesReservation()))
        .isInstanceOf(TicketsRefused.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 500, 504})
  void doesNotKnowWhatOtherAnswersMean(int status) {
    server.answers(status, "text/plain", "what?");

    assertThatThrownBy(() -> tickets.order(id, janesReservation())).isInstanceOf(NoAnswer.class);
    if (status != 404) {
      assertThatThrownBy(() -> tickets.find(id, Duration.ZERO)).isInstanceOf(NoAnswer.class);
    }
  }

  @Test
  void saysThatAServiceIsAway() {
    var away = at(URI.create("http://127.0.0.1:1"));

    assertThatThrownBy(() -> away.order(id, janesReservation())).isInstanceOf(NoAnswer.class);
    assertThatThrownBy(() -> away.find(id, Duration.ZERO)).isInstanceOf(NoAnswer.class);
  }

  @Test
  void doesNotWaitForEverForATicketToBeBuilt() {
    server.isSilent();
    var impatient = at(server.address(), Duration.ofMillis(100));

    assertThatThrownBy(() -> impatient.order(id, janesReservation())).isInstanceOf(NoAnswer.class);
  }

  @Test
  void fetchesATicket() {
    server.does(
        request -> {
          assertThat(request.getRequestHeaders().getFirst("Prefer")).isEqualTo("wait=7");
          StandInServer.respond(request, 200, PDF, "%PDF");
        });

    assertThat(tickets.find(id, Duration.ofSeconds(7)))
        .isInstanceOfSatisfying(
            Found.Ticket.class, ticket -> assertThat(ticket.pdf()).asString().isEqualTo("%PDF"));
    assertThat(server.requests()).containsExactly("GET /tickets/" + id);
  }

  @Test
  void readsWhyThereIsNoTicket() {
    server.answers(202, PDF, "");
    assertThat(tickets.find(id, Duration.ZERO)).isInstanceOf(Found.Waiting.class);
    server.answers(404, "application/problem+json", "{}");
    assertThat(tickets.find(id, Duration.ZERO)).isInstanceOf(Found.Unknown.class);
    server.answers(410, "application/problem+json", "{}");
    assertThat(tickets.find(id, Duration.ZERO)).isInstanceOf(Found.Gone.class);
  }

  private static TicketService at(URI address) {
    return at(address, Duration.ofMinutes(5));
  }

  private static TicketService at(URI address, Duration orderTimeout) {
    return TicketConfiguration.service(
        new TicketOrderSettings(address, orderTimeout, true, true),
        SETTINGS,
        ObservationRegistry.NOOP);
  }
}
