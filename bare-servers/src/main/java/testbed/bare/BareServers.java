package testbed.bare;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Starts one of the servers. It prints its port, and ends when its standard input closes. */
public final class BareServers {

  private BareServers() {}

  /** Takes {@code netty} or {@code spring}, the protocol, and declared {@link Answers}. */
  public static void main(String[] arguments) throws IOException {
    var out = System.out;
    // Spring's output must not be taken for the port.
    System.setOut(System.err);
    var given = List.of(arguments);
    var acknowledged = given.get(1).equals("acknowledged");
    out.println(start(given.get(0), new Answers(acknowledged, given.subList(2, given.size()))));
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }

  static int start(String server, Answers answers) {
    return switch (server) {
      case "netty" -> NettyServer.start(answers);
      case "spring" -> SpringServer.start(answers);
      default -> throw new IllegalArgumentException(server + ": choose netty or spring");
    };
  }
}
