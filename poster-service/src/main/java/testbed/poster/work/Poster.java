package testbed.poster.work;

import testbed.poster.image.Format;

/** An image as it comes and goes. */
public record Poster(Format format, byte[] bytes) {}
