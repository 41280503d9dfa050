package testbed.cinema;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistrar;

/** A MongoDB stand-in inside the test's JVM, for what does not need the real one. */
@TestConfiguration(proxyBeanMethods = false)
public class InMemoryDatabase {

  @Bean(destroyMethod = "shutdownNow")
  MongoServer mongoServer() {
    return new MongoServer(new MemoryBackend());
  }

  @Bean
  DynamicPropertyRegistrar mongoUri(MongoServer server) {
    var address = server.bind();
    return registry ->
        registry.add("spring.mongodb.uri", () -> "mongodb://localhost:" + address.getPort());
  }
}
