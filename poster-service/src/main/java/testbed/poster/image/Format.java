package testbed.poster.image;

import java.util.Locale;

/** The formats of images. */
public enum Format {
  JPEG("image/jpeg"),
  PNG("image/png"),
  /** Uncompressed samples, see {@code Raw}. */
  RAW("image/x-raw");

  private final String mediaType;

  Format(String mediaType) {
    this.mediaType = mediaType;
  }

  public String mediaType() {
    return mediaType;
  }

  /** The name in settings and metrics. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
