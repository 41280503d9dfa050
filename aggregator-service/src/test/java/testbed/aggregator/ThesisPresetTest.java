package testbed.aggregator;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.StandInServer.cinema;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import testbed.discovery.testing.InMemoryRegistry;
import testbed.support.testing.StandInServer;

/** The thesis's way: one cinema after another, through the gateway again. */
@SpringBootTest(
    properties = {
      "eureka.client.enabled=false",
      "testbed.preset=thesis",
      // No test here is about deadlines; a busy machine must not miss one.
      "aggregator.deadline=30s"
    })
@AutoConfigureMockMvc
@Import(InMemoryRegistry.class)
class ThesisPresetTest {

  private static final StandInServer GATEWAY = new StandInServer();
  private static final StandInServer CINEMA = new StandInServer();

  @DynamicPropertySource
  static void gateway(DynamicPropertyRegistry settings) {
    settings.add("aggregator.gateway-url", GATEWAY::address);
  }

  @Autowired private MockMvcTester http;
  @Autowired private InMemoryRegistry registry;
  @Autowired private ApplicationEventPublisher events;

  @BeforeEach
  void register() {
    GATEWAY.requests().clear();
    registry.clear();
    registry.addCinema("ucd", CINEMA.address());
    registry.addCinema("dundrum", CINEMA.address());
    registry.addCinema("cineworld", CINEMA.address());
    events.publishEvent(registry.heartbeat());
  }

  @AfterAll
  static void close() {
    GATEWAY.close();
    CINEMA.close();
  }

  @Test
  void asksThroughTheGatewayInTheOrderOfNames() {
    GATEWAY.does(
        request -> {
          var name = request.getRequestURI().getPath().split("/")[2];
          StandInServer.respond(request, 200, "application/json", cinema(name));
        });

    assertThat(http.get().uri("/api/movie/list"))
        .hasStatusOk()
        .bodyText()
        .isEqualTo("[%s,%s,%s]", cinema("cineworld"), cinema("dundrum"), cinema("ucd"));
    assertThat(GATEWAY.requests())
        .containsExactly(
            "GET /cinema/cineworld/movie/list",
            "GET /cinema/dundrum/movie/list",
            "GET /cinema/ucd/movie/list");
    assertThat(CINEMA.requests()).isEmpty();
  }

  @Test
  void namesTheCinemasWhoseCircuitIsOpenInOrder() {
    GATEWAY.does(
        request -> {
          if (request.getRequestURI().getPath().contains("dundrum")) {
            StandInServer.respond(request, 200, "application/json", cinema("dundrum"));
          } else {
            StandInServer.respond(request, 503, "application/problem+json", "{}");
          }
        });

    assertThat(http.get().uri("/api/movie/list"))
        .hasStatusOk()
        .hasHeader("Cinemas-Missing", "cineworld, ucd");
  }
}
