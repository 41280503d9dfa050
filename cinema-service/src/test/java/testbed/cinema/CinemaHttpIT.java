package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.cinema.Examples.JANES_RESERVATION;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import testbed.contracts.Cinema;
import testbed.contracts.Reservation;
import testbed.messaging.testing.BackendContainers;

/** The whole service over HTTP, on a MongoDB server in a container. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {"cinema.name=cineworld", "cinema.transport=http", "eureka.client.enabled=false"})
@Testcontainers(disabledWithoutDocker = true)
class CinemaHttpIT {

  @Container static final GenericContainer<?> MONGODB = BackendContainers.mongoDb();

  @Autowired MongoOperations database;
  @LocalServerPort int port;
  @LocalManagementPort int management;

  @DynamicPropertySource
  static void backends(DynamicPropertyRegistry registry) {
    registry.add("MONGODB_URI", () -> BackendContainers.mongoDbUri(MONGODB));
  }

  @Test
  void servesItsCatalogueAndStoresReservationsInItsOwnDatabase() {
    var http = RestClient.create("http://localhost:" + port);

    var cinema = http.get().uri("/cinema/cineworld/movie/list").retrieve().body(Cinema.class);
    assertThat(cinema).isNotNull();
    assertThat(cinema.movies()).hasSize(3);

    var made =
        http.post()
            .uri("/cinema/cineworld/reservation/make")
            .contentType(MediaType.APPLICATION_JSON)
            .body(JANES_RESERVATION)
            .retrieve()
            .toEntity(Reservation.class);
    assertThat(made.getStatusCode().value()).isEqualTo(201);
    var location = made.getHeaders().getLocation();
    assertThat(location).isNotNull().extracting(URI::getHost).isNull();
    assertThat(http.get().uri(location.toString()).retrieve().body(Reservation.class))
        .isEqualTo(made.getBody());
    assertThat(database.getCollection("reservations").getNamespace().getDatabaseName())
        .isEqualTo("cinema-cineworld");
  }

  @Test
  void isReadyWhileItsDatabaseAnswers() {
    var readiness =
        RestClient.create("http://localhost:" + management)
            .get()
            .uri("/actuator/health/readiness")
            .retrieve()
            .body(String.class);

    assertThat(readiness).contains("UP");
  }
}
