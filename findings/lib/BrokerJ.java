import com.rabbitmq.client.*;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.*;
import java.util.*;
import org.apache.qpid.server.SystemLauncher;

/** A Broker-J in this JVM, on a free port; it ends with the JVM. */
abstract class BrokerJ extends Finding {

  private static final String CONFIGURATION =
      """
      {"name": "broker", "modelVersion": "9.1",
       "authenticationproviders": [{"name": "plain", "type": "Plain", "secureOnlyMechanisms": [],
         "users": [{"name": "guest", "type": "managed", "password": "guest"}]}],
       "ports": [{"name": "amqp", "type": "AMQP", "bindingAddress": "127.0.0.1", "port": "PORT",
         "authenticationProvider": "plain", "protocols": ["AMQP_0_9_1"], "transports": ["TCP"],
         "virtualhostaliases": [{"name": "default", "type": "defaultAlias"}]}],
       "virtualhostnodes": [{"name": "default", "type": "Memory", "defaultVirtualHostNode": true,
         "virtualHostInitialConfiguration": "{\\"type\\": \\"Memory\\"}"}]}
      """;

  /** Starts the broker, and connects to it. */
  static Channel channel() throws Exception {
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Files.writeString(Path.of("broker.json"), CONFIGURATION.replace("PORT", String.valueOf(port)));
    var out = System.out;
    System.setOut(new PrintStream("broker.log"));
    new SystemLauncher()
        .startup(
            Map.of(
                "type", "Memory",
                "startupLoggedToSystemOut", false,
                "initialConfigurationLocation", "broker.json",
                "context", Map.of("qpid.work_dir", "work")));
    System.setOut(out);
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(port);
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection().createChannel();
  }

  /** Takes and acknowledges all messages, in the order in which they come. */
  static List<String> drain(Channel channel, String queue) throws Exception {
    var bodies = new ArrayList<String>();
    for (GetResponse next; (next = channel.basicGet(queue, true)) != null; ) {
      bodies.add(new String(next.getBody()));
    }
    return bodies;
  }
}
