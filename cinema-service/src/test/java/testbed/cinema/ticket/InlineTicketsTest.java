package testbed.cinema.ticket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.reset;
import static testbed.cinema.Examples.JANES_RESERVATION;

import com.jayway.jsonpath.JsonPath;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import testbed.cinema.InMemoryDatabase;
import testbed.support.deadline.Deadline;
import testbed.ticket.office.TicketAccounts;
import testbed.ticket.office.TicketsRefused;

/** An HTTP cinema that builds its tickets itself. */
@SpringBootTest(
    properties = {
      "cinema.name=cineworld",
      "cinema.transport=http",
      "cinema.tickets=inline",
      "eureka.client.enabled=false"
    })
@AutoConfigureMockMvc
@Import(InMemoryDatabase.class)
class InlineTicketsTest {

  @Autowired MockMvcTester http;
  @Autowired MongoOperations database;
  @Autowired TicketAccounts accounts;
  @MockitoSpyBean InlineOrders orders;

  private final String key = UUID.randomUUID().toString();

  @BeforeEach
  void noReservations() {
    database.remove(new Query(), "reservations");
  }

  @Test
  void linksAReservationToItsTicket() throws Exception {
    var made = make(key);

    assertThat(made).hasStatus(201);
    var id = idOf(made);
    assertThat(made)
        .hasHeader(
            HttpHeaders.LINK,
            "</tickets/%s>; rel=\"related\"; type=\"application/pdf\"".formatted(id));
    var ticket = http.get().uri("/tickets/" + id).header("Prefer", "wait=30").exchange();
    assertThat(ticket)
        .hasStatusOk()
        .hasContentType(MediaType.APPLICATION_PDF)
        .hasHeader("Preference-Applied", "wait=30");
    assertThat(new String(ticket.getResponse().getContentAsByteArray(), ISO_8859_1))
        .startsWith("%PDF-")
        .contains(id);
  }

  @Test
  void takesAReservationBackWhoseTicketIsRefused() {
    full();

    assertRefused(make(null));

    assertThat(reservations()).isZero();
  }

  @Test
  void takesAReservationBackWhoseOrderFails() {
    doThrow(new IllegalStateException("bug")).when(orders).order(any(), any());

    assertThat(make(null)).hasStatus(500);

    assertThat(reservations()).isZero();
  }

  @Test
  void takesAReservationBackWhoseOrderUsedUpTheTimeOfItsCaller() {
    doAnswer(
            order -> {
              var deadline = Objects.requireNonNull(Deadline.current());
              await().until(() -> deadline.millisLeft() == 0);
              throw new TicketsRefused();
            })
        .when(orders)
        .order(any(), any());

    // On a busy machine its time may be over before the order.
    await().untilAsserted(() -> assertRefused(asking().header(Deadline.HEADER, "1500").exchange()));

    assertThat(reservations()).isZero();
  }

  @Test
  void keepsAReservationWithAKeyAndOrdersItsTicketAtTheNextTry() throws Exception {
    full();
    assertRefused(make(key));
    assertThat(reservations()).isEqualTo(1);

    reset(orders);
    var again = make(key);

    assertThat(again).hasStatus(201);
    assertThat(http.get().uri("/tickets/" + idOf(again)).header("Prefer", "wait=30")).hasStatusOk();
    assertThat(reservations()).isEqualTo(1);
  }

  @Test
  void knowsNoTicketOfAnotherReservation() {
    assertThat(http.get().uri("/tickets/" + UUID.randomUUID()).header("Prefer", "wait=30"))
        .hasStatus(404)
        .bodyJson()
        .extractingPath("$.type")
        .isEqualTo("urn:testbed:problem:ticket-unknown");
    assertThat(http.get().uri("/tickets/1")).hasStatus(400);
  }

  @Test
  void accountsForItsTickets() throws Exception {
    var id = idOf(make(key));
    http.get().uri("/tickets/" + id).header("Prefer", "wait=30").exchange();

    assertThat(accounts.accounts(true).built()).contains(id);
  }

  private void full() {
    doThrow(new TicketsRefused()).when(orders).order(any(), any());
  }

  private MvcTestResult make(String key) {
    return (key == null ? asking() : asking().header("Idempotency-Key", key)).exchange();
  }

  private MockMvcRequestBuilder asking() {
    return http.post()
        .uri("/cinema/cineworld/reservation/make")
        .contentType(MediaType.APPLICATION_JSON)
        .content(JANES_RESERVATION);
  }

  private static void assertRefused(MvcTestResult answer) {
    assertThat(answer).hasStatus(503).hasHeader(HttpHeaders.RETRY_AFTER, "1");
    assertThat(answer)
        .bodyJson()
        .extractingPath("$.type")
        .isEqualTo("urn:testbed:problem:tickets-refused");
  }

  private long reservations() {
    return database.count(Query.query(Criteria.where("movieId").exists(true)), "reservations");
  }

  private static String idOf(MvcTestResult made) throws Exception {
    return JsonPath.read(made.getResponse().getContentAsString(), "$.id");
  }
}
