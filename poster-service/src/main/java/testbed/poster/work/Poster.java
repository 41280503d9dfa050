package testbed.poster.work;

import testbed.poster.image.Format;

/** An encoded image. */
public record Poster(Format format, byte[] bytes) {}
