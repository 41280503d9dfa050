package testbed.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.URL;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of PostgreSQL, unpacked from the jar.
 *
 * @param folder where they are
 */
record PostgreSqlPrograms(Path folder) {

  /** Runs a program as another user where this one is root, which PostgreSQL refuses. */
  private static final List<String> AS_ANOTHER_USER = List.of("unshare", "--user");

  /** The jar that an archive is in. */
  private static final Pattern JAR = Pattern.compile("([^/!]+)\\.jar!/[^!]+$");

  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  /**
   * Unpacks them into a folder, unless they are there.
   *
   * @throws CannotStart if this is not Linux on a processor that the jar has programs for
   */
  static PostgreSqlPrograms in(Path folder) {
    var architecture = System.getProperty("os.arch").equals("aarch64") ? "arm_64" : "x86_64";
    var archive =
        PostgreSqlPrograms.class.getResource("/postgres-linux-%s.txz".formatted(architecture));
    if (archive == null || !System.getProperty("os.name").equals("Linux")) {
      throw new CannotStart("The embedded PostgreSQL is for Linux only.");
    }
    var jar = JAR.matcher(archive.toString());
    // With the version: of another one there are other programs.
    var unpacked = folder.resolve(jar.find() ? jar.group(1) : "programs");
    if (Files.isDirectory(unpacked)) {
      return new PostgreSqlPrograms(unpacked);
    }
    try {
      Files.createDirectories(folder);
      var partial = Files.createTempDirectory(folder, "unpacking-");
      try {
        unpack(archive, partial);
        Files.move(partial, unpacked);
      } catch (FileAlreadyExistsException | DirectoryNotEmptyException another) {
        // Another process was quicker.
        Folders.delete(partial);
      }
    } catch (IOException failed) {
      throw new CannotStart(
          "PostgreSQL cannot be unpacked into %s: %s".formatted(folder, failed.getMessage()),
          failed);
    }
    return new PostgreSqlPrograms(unpacked);
  }

  /** Returns a command that is ready to start. */
  ProcessBuilder command(String program, List<String> arguments) {
    var words = new ArrayList<String>();
    if (ROOT) {
      words.addAll(AS_ANOTHER_USER);
    }
    words.add(folder.resolve("bin").resolve(program).toString());
    words.addAll(arguments);
    var builder = new ProcessBuilder(words).redirectErrorStream(true);
    // What it logs is read: in the language of this program.
    builder.environment().put("LC_ALL", "C");
    return builder;
  }

  private static void unpack(URL archive, Path target) throws IOException {
    try (var packed = archive.openStream()) {
      var entries = new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(packed)));
      for (var entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
        unpack(entry, entries, target);
      }
    }
  }

  private static void unpack(TarArchiveEntry entry, TarArchiveInputStream content, Path target)
      throws IOException {
    var place = target.resolve(entry.getName()).normalize();
    if (!place.startsWith(target)) {
      throw new IOException("%s leads out of its folder".formatted(entry.getName()));
    }
    if (entry.isDirectory()) {
      Files.createDirectories(place);
      return;
    }
    Files.createDirectories(Objects.requireNonNull(place.getParent()));
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(place, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(content, place);
    var executable = (entry.getMode() & 0100) != 0;
    Files.setPosixFilePermissions(
        place, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
  }
}
