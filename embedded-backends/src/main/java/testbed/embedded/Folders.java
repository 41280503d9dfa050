package testbed.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Folders of the backends. */
final class Folders {

  private Folders() {}

  /**
   * Makes a folder that only this user can use.
   *
   * @throws CannotStart if there is no place for it
   */
  static Path temporary(String what) {
    try {
      return Files.createTempDirectory("embedded-%s-".formatted(what));
    } catch (IOException failed) {
      throw new CannotStart(
          "%s cannot make its temporary folder: %s".formatted(what, failed.getMessage()), failed);
    }
  }

  /** Deletes a folder with all that is in it, if it is there. */
  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failed)
                throws IOException {
              Files.delete(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    }
  }
}
