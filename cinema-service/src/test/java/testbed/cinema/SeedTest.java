package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static testbed.cinema.Examples.reservation;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Query;
import testbed.cinema.movie.Movies;
import testbed.cinema.movie.ShowingUnknown;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.support.preset.InvalidSetting;

/** A cinema has its catalogue before it serves, or does not start; it restores what is lost. */
class SeedTest {

  private final MongoServer database = new MongoServer(new MemoryBackend());
  private final int port = database.bind().getPort();

  /** The size of the catalogue at the moment at which the cinema begins to serve. */
  private final List<Integer> whenServing = new ArrayList<>();

  @AfterEach
  void stopDatabase() {
    database.shutdownNow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "amqp"})
  void hasItsCatalogueBeforeItServes(String transport) {
    try (var cinema = start("--cinema.transport=" + transport)) {
      assertThat(whenServing).containsExactly(3);
    }
  }

  @Test
  void doesNotServeWithoutACatalogueThatCanBeRead() {
    assertThatThrownBy(() -> start("--cinema.transport=http", "--cinema.catalogue=file:/nowhere"))
        .hasRootCauseInstanceOf(InvalidSetting.class)
        .rootCause()
        .hasMessageStartingWith("CINEMA_CATALOGUE is");
    assertThat(whenServing).isEmpty();
  }

  @Test
  void doesNotServeWithoutADatabaseForItsCatalogue() {
    database.shutdownNow();

    assertThatThrownBy(
            () ->
                start(
                    "--cinema.transport=http",
                    "--cinema.database.max-wait=100ms",
                    "--cinema.database.start-wait=100ms"))
        .hasCauseInstanceOf(DataAccessException.class);
    assertThat(whenServing).isEmpty();
  }

  @Test
  void hasItsCatalogueAgainAfterTheDatabaseHasLostIt() {
    try (var cinema = start("--cinema.transport=http")) {
      lose(cinema);

      assertThat(cinema.getBean(Movies.class).catalogue().movies()).hasSize(3);
    }
  }

  @Test
  void takesEveryReservationAfterTheDatabaseHasLostTheCatalogue() throws Exception {
    try (var cinema = start("--cinema.transport=http");
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      lose(cinema);
      var reservations = cinema.getBean(Reservations.class);
      Callable<Reservation> client =
          () ->
              reservations.make(
                  new ReservationId(UUID.randomUUID()), reservation("UCD001", "10:15"));

      var answers = threads.invokeAll(Collections.nCopies(50, client));

      assertThat(answers).extracting(Future::get).doesNotContainNull().hasSize(50);
      assertThat(cinema.getBean(Movies.class).catalogue().movies()).hasSize(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "amqp"})
  void comparesASnapshotWithTheDatabase(String transport) {
    try (var cinema =
        start(
            "--cinema.transport=" + transport,
            "--cinema.catalogue-read=snapshot",
            "--cinema.catalogue-check=10ms")) {
      var database = cinema.getBean(MongoOperations.class);
      var movies = cinema.getBean(Movies.class);
      assertThat(movies.catalogue().movies()).hasSize(3);

      database.save(
          new Document("_id", "UCD004")
              .append("name", "Stalker")
              .append("showTimes", List.of("10:00")),
          "movies");
      await().untilAsserted(() -> assertThat(movies.catalogue().movies()).hasSize(4));

      lose(cinema);
      await()
          .untilAsserted(() -> assertThat(database.findAll(Document.class, "movies")).hasSize(3));
      await().untilAsserted(() -> assertThat(movies.catalogue().movies()).hasSize(3));
    }
  }

  @Test
  void takesReservationsFromASnapshotAfterTheDatabaseHasLostTheCatalogue() {
    try (var cinema =
        start(
            "--cinema.transport=http",
            "--cinema.catalogue-read=snapshot",
            "--cinema.catalogue-check=1h")) {
      cinema.getBean(Movies.class).catalogue();
      lose(cinema);

      var reservations = cinema.getBean(Reservations.class);
      assertThat(
              reservations.make(
                  new ReservationId(UUID.randomUUID()), reservation("UCD001", "10:15")))
          .isNotNull();
      assertThatThrownBy(
              () ->
                  reservations.make(
                      new ReservationId(UUID.randomUUID()), reservation("UCD001", "10:16")))
          .isInstanceOf(ShowingUnknown.class);
    }
  }

  private static void lose(ConfigurableApplicationContext cinema) {
    cinema.getBean(MongoOperations.class).remove(new Query(), "movies");
  }

  private ConfigurableApplicationContext start(String... settings) {
    ApplicationListener<WebServerInitializedEvent> serving =
        event ->
            whenServing.add(
                event
                    .getApplicationContext()
                    .getBean(MongoOperations.class)
                    .findAll(Document.class, "movies")
                    .size());
    var arguments =
        new ArrayList<>(
            List.of(
                "--cinema.name=ucd",
                "--server.port=0",
                "--management.server.port=-1",
                "--eureka.client.enabled=false",
                // Port 1 is reserved: nothing answers there.
                "--RABBITMQ_PORT=1",
                "--MONGODB_URI=mongodb://localhost:" + port));
    arguments.addAll(List.of(settings));
    return new SpringApplicationBuilder(CinemaServiceApplication.class)
        .listeners(serving)
        .run(arguments.toArray(String[]::new));
  }
}
