package testbed.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the backends that the environment asks for and serves them until it is stopped. */
public final class EmbeddedBackends implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(EmbeddedBackends.class);

  private final List<AutoCloseable> running;
  private final OptionalInt mongoDbPort;
  private final OptionalInt amqpPort;
  private final Optional<PostgreSql> postgreSql;

  private EmbeddedBackends(
      List<AutoCloseable> running,
      OptionalInt mongoDbPort,
      OptionalInt amqpPort,
      Optional<PostgreSql> postgreSql) {
    this.running = List.copyOf(running);
    this.mongoDbPort = mongoDbPort;
    this.amqpPort = amqpPort;
    this.postgreSql = postgreSql;
  }

  /**
   * Exits with code 1 and one line on standard error if the backends cannot start, or if PostgreSQL
   * ends by itself.
   */
  public static void main(String[] arguments) {
    try {
      var backends = start(System.getenv());
      Runtime.getRuntime().addShutdownHook(new Thread(backends::close, "stop"));
      log.info("embedded backends ready");
      if (backends.postgreSql.isPresent()) {
        // No thread of this process serves it.
        backends.postgreSql.get().ended().join();
        System.exit(1);
      }
    } catch (CannotStart reason) {
      System.err.println(reason.getMessage());
      System.exit(1);
    }
  }

  /**
   * Starts the backends; both listen when this returns.
   *
   * @throws CannotStart if a setting is wrong or a port is taken; nothing runs then
   */
  static EmbeddedBackends start(Map<String, String> environment) {
    var settings = Settings.from(environment);
    var running = new ArrayList<AutoCloseable>();
    var mongoDbPort = OptionalInt.empty();
    var amqpPort = OptionalInt.empty();
    var postgreSql = Optional.<PostgreSql>empty();
    try {
      if (settings.mongoDbPort().isPresent()) {
        var mongoDb =
            MongoDb.start(
                settings.address(), settings.mongoDbPort().getAsInt(), settings.mongoDbFile());
        running.add(mongoDb);
        mongoDbPort = OptionalInt.of(mongoDb.port());
        log.info("MongoDB on {}:{}", settings.address(), mongoDb.port());
      }
      if (settings.amqpPort().isPresent()) {
        var amqp = Amqp.start(settings.address(), settings.amqpPort().getAsInt());
        running.add(amqp);
        amqpPort = OptionalInt.of(amqp.port());
        log.info("AMQP on {}:{}", settings.address(), amqp.port());
      }
      if (settings.postgreSqlPort().isPresent()) {
        var server =
            PostgreSql.start(
                settings.address(),
                settings.postgreSqlPort().getAsInt(),
                settings.postgreSqlFiles());
        running.add(server);
        postgreSql = Optional.of(server);
        log.info("PostgreSQL on {}:{}", settings.address(), server.port());
      }
    } catch (CannotStart reason) {
      closeAll(running);
      throw reason;
    }
    return new EmbeddedBackends(running, mongoDbPort, amqpPort, postgreSql);
  }

  /** The port of MongoDB; empty if it is off. */
  OptionalInt mongoDbPort() {
    return mongoDbPort;
  }

  /** The port of AMQP; empty if it is off. */
  OptionalInt amqpPort() {
    return amqpPort;
  }

  /** The PostgreSQL server; empty if it is off. */
  Optional<PostgreSql> postgreSql() {
    return postgreSql;
  }

  @Override
  public void close() {
    closeAll(running);
  }

  private static void closeAll(List<AutoCloseable> running) {
    for (var backend : running) {
      try {
        backend.close();
      } catch (Exception failed) {
        log.warn("Not closed cleanly: {}", failed.getMessage());
      }
    }
  }
}
