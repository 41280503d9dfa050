package testbed.ticketservice.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static testbed.ticketservice.Examples.JANES_RESERVATION;

import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import tools.jackson.databind.json.JsonMapper;

@SpringBootTest(properties = {"ticket.source=http", "ticket.store-bytes=256KB"})
@AutoConfigureMockMvc
class HttpEdgeTest {

  @Autowired MockMvcTester http;
  @Autowired MeterRegistry meters;
  @Autowired JsonMapper json;

  private final String ticket = "/tickets/" + UUID.randomUUID();

  @Test
  void buildsATicketOnceAndHandsItOut() {
    assertThat(put(JANES_RESERVATION)).hasStatus(201).hasHeader(HttpHeaders.LOCATION, ticket);
    assertThat(put(JANES_RESERVATION)).hasStatus(200);

    var fetched = http.get().uri(ticket).exchange();
    assertThat(fetched).hasStatusOk().hasContentType(MediaType.APPLICATION_PDF);
    assertThat(new String(fetched.getResponse().getContentAsByteArray(), ISO_8859_1))
        .startsWith("%PDF-")
        .contains(ticket.substring("/tickets/".length()));
  }

  @Test
  void knowsNoTicketThatNobodyWants() {
    assertThat(http.get().uri(ticket).header("Prefer", "wait=30"))
        .hasStatus(404)
        .bodyJson()
        .extractingPath("$.type")
        .isEqualTo("urn:testbed:problem:ticket-unknown");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[]", "null", "{\"id\": 1}", "{\"clientName\": \"Jane\"}"})
  void refusesWhatIsNoReservation(String body) {
    assertThat(put(body)).hasStatus(400);
    assertThat(http.get().uri(ticket)).hasStatus(404);
  }

  @Test
  void survivesAThousandHostileOrdersInBoundedMemory() {
    var chance = new Random(7);
    var paths = List.of("/tickets/", "/tickets/../", "/tickets/%00", "/tickets/1/");
    var types = List.of("multipart/form-data", "multipart/form-data; boundary=x", "text/plain");

    for (int order = 0; order < 1_000; order++) {
      var valid = order % 10 != 0;
      var path =
          valid
              ? "/tickets/" + UUID.randomUUID()
              : paths.get(chance.nextInt(paths.size())) + chance.nextInt();
      var type =
          order % 7 == 0
              ? types.get(chance.nextInt(types.size()))
              : MediaType.APPLICATION_JSON_VALUE;
      var body =
          order % 50 == 0
              ? "[".repeat(70_000)
              : order % 3 == 0 ? any(chance, 300) : json.writeValueAsString(wanted(chance));
      var answer = http.put().uri(URI.create(path)).contentType(type).content(body).exchange();
      assertThat(answer.getResponse().getStatus()).as("%s to %s", body, path).isLessThan(500);
    }

    assertThat(meters.get("ticket.store.bytes").gauge().value()).isBetween(1.0, 262_144.0);
    assertThat(meters.get("ticket.store.evicted").functionCounter().count()).isPositive();
  }

  private static Map<String, Object> wanted(Random chance) {
    return Map.of(
        "clientName",
        any(chance, 200),
        "clientEmail",
        "jane@example.org",
        "movieId",
        "CNW001",
        "date",
        "2022-04-15",
        "showTime",
        "18:00",
        "tickets",
        chance.nextInt(-1, 22),
        "ticketType",
        any(chance, 20),
        "amount",
        chance.nextInt(1_000));
  }

  /** Characters of any kind: controls, letters of every script, symbols, halves of pairs. */
  private static String any(Random chance, int most) {
    return chance
        .ints(chance.nextInt(1, most), 0, 0x11000)
        .map(character -> character > 0x10000 ? 0x1F3AC : character)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private MvcTestResult put(String body) {
    return http.put().uri(ticket).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
  }
}
