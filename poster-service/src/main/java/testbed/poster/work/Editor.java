package testbed.poster.work;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import testbed.poster.PosterSettings;
import testbed.poster.image.Codec;
import testbed.poster.image.Format;
import testbed.poster.image.Step;

/**
 * Does this service's steps, on so many images at once as the settings say. Measures each step
 * ({@code poster.step}), and what it takes to decode and to encode ({@code poster.codec}).
 */
@Component
public class Editor {

  private final PosterSettings settings;
  private final Room room;
  private final Codec codec;
  private final Bounded turns;
  private final MeterRegistry meters;
  private final MeterProvider<Timer> steps;
  private final MeterProvider<Timer> codings;

  Editor(PosterSettings settings, Room room, MeterRegistry meters) {
    this.settings = settings;
    this.room = room;
    this.codec = new Codec(settings.maxPixels(), settings.quality());
    this.turns = new Bounded("turn", settings.concurrency(), settings.maxWait(), meters);
    this.meters = meters;
    this.steps =
        Timer.builder("poster.step").description("A step on an image").withRegistry(meters);
    this.codings =
        Timer.builder("poster.codec")
            .description("From bytes to an image, or back")
            .withRegistry(meters);
  }

  /**
   * The edited poster: in the client's format if no other service follows, else in that of the
   * wire. Keeps its turn until there is memory for it, since its bytes exist already. The received
   * one is closed.
   *
   * @throws Busy if its turn did not come in time
   * @throws testbed.poster.image.ImageUnreadable if it is not a whole image
   * @throws testbed.poster.image.ImageTooLarge if it has too many pixels
   */
  public Edited edited(Received received) {
    try (received;
        var turn = turns.take(1)) {
      var image = edited(decoded(received.poster()));
      var format = settings.isLast() ? received.wanted() : settings.wire();
      var bytes = encoded(format, image);
      return new Edited(
          new Poster(format, bytes),
          joined(received.done(), settings.steps()),
          received.wanted(),
          settings.isLast() ? Codec.digest(image) : null,
          room.leaving(bytes.length));
    }
  }

  private BufferedImage edited(BufferedImage image) {
    var current = image;
    for (var step : settings.steps()) {
      var before = current;
      current = measured(steps.withTag("step", step.word()), () -> step.applied(before));
    }
    return current;
  }

  private BufferedImage decoded(Poster poster) {
    return measured(
        coding("decode", poster.format()), () -> codec.decoded(poster.format(), poster.bytes()));
  }

  private byte[] encoded(Format format, BufferedImage image) {
    return measured(coding("encode", format), () -> codec.encoded(format, image));
  }

  private Timer coding(String operation, Format format) {
    return codings.withTags("operation", operation, "format", format.word());
  }

  private <T> T measured(Timer timer, Supplier<T> work) {
    var sample = Timer.start(meters);
    try {
      return work.get();
    } finally {
      sample.stop(timer);
    }
  }

  private static List<Step> joined(List<Step> before, List<Step> here) {
    var all = new ArrayList<>(before);
    all.addAll(here);
    return List.copyOf(all);
  }
}
