package testbed.poster.web;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import testbed.poster.image.Format;

/** Formats as media types. */
final class Formats {

  private Formats() {}

  /** The format of a body; the controllers take no others. */
  static Format of(@Nullable String contentType) {
    var type = MediaType.parseMediaType(String.valueOf(contentType));
    return Stream.of(Format.values())
        .filter(format -> type.equalsTypeAndSubtype(mediaType(format)))
        .findFirst()
        .orElseThrow();
  }

  /** The body's format if the client accepts it, otherwise one that it accepts. */
  static Format wanted(List<MediaType> accepted, Format own) {
    return Stream.concat(Stream.of(own), Stream.of(Format.values()))
        .filter(format -> accepted.stream().anyMatch(type -> type.includes(mediaType(format))))
        .findFirst()
        .orElse(own);
  }

  static MediaType mediaType(Format format) {
    return MediaType.parseMediaType(format.mediaType());
  }
}
