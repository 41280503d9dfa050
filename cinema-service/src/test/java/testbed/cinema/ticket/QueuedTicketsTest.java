package testbed.cinema.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.cinema.Examples.janesReservation;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import testbed.cinema.Examples;
import testbed.cinema.InMemoryDatabase;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.Page;
import testbed.contracts.ReservationId;
import testbed.support.testing.StandInServer;

/** An HTTP cinema that orders its tickets through a queue, while the message server is away. */
@SpringBootTest(
    properties = {
      "cinema.name=cineworld",
      "cinema.transport=http",
      "cinema.tickets=queue",
      "eureka.client.enabled=false",
      "RABBITMQ_PORT=1"
    })
@AutoConfigureMockMvc
@Import(InMemoryDatabase.class)
class QueuedTicketsTest {

  private static final StandInServer TICKETS = new StandInServer();

  @Autowired MockMvcTester http;
  @Autowired Reservations reservations;

  @DynamicPropertySource
  static void ticketService(DynamicPropertyRegistry registry) {
    registry.add("ticket.url", TICKETS::address);
  }

  @Test
  void takesAReservationBackWhoseTicketCannotBeOrdered() {
    var answer =
        http.post()
            .uri("/cinema/cineworld/reservation/make")
            .contentType("application/json")
            .content(Examples.JANES_RESERVATION);

    assertThat(answer)
        .hasStatus(503)
        .bodyJson()
        .extractingPath("$.type")
        .isEqualTo("urn:testbed:problem:unavailable");
    assertThat(reservations.list(Page.FIRST).reservations()).isEmpty();
  }

  @Test
  void saysThatTheTicketOfAReservationIsNotBuiltYet() {
    var id = new ReservationId(UUID.randomUUID());
    reservations.make(id, janesReservation());
    TICKETS.answers(404, "application/problem+json", "{}");

    assertThat(http.get().uri("/tickets/" + id)).hasStatus(202);

    reservations.withdraw(id);
    assertThat(http.get().uri("/tickets/" + id))
        .hasStatus(404)
        .bodyJson()
        .extractingPath("$.type")
        .isEqualTo("urn:testbed:problem:reservation-unknown");
  }
}
