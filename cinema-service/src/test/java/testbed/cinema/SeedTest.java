package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.ArrayList;
import java.util.List;
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
import testbed.support.preset.InvalidSetting;

/** A cinema has its catalogue before it serves, or does not start. */
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

    assertThatThrownBy(() -> start("--cinema.transport=http", "--cinema.database.max-wait=100ms"))
        .hasCauseInstanceOf(DataAccessException.class);
    assertThat(whenServing).isEmpty();
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
