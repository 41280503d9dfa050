package testbed.broker.messaging;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Arrays;
import java.util.Objects;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.MessageConverter;
import testbed.cinemas.KnownCinemas;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;

/**
 * Reads messages. A list of movies that equals the last one of its cinema, byte for byte, is not
 * parsed again.
 */
final class LastLists {

  private static final String TYPE = "__TypeId__";

  private record Last(Message message, MoviesListed list) {}

  private final MessageConverter format;
  private final Cache<CinemaName, Last> lasts =
      Caffeine.newBuilder().maximumSize(KnownCinemas.MOST).executor(Runnable::run).build();

  LastLists(MessageConverter format) {
    this.format = format;
  }

  /**
   * What the message says.
   *
   * @throws MessageConversionException if it cannot be read
   */
  Object read(Message message) {
    for (var last : lasts.asMap().values()) {
      if (isSame(last.message, message)) {
        // Notes the use: the lists that come most often are kept.
        var unused = lasts.getIfPresent(last.list.cinema());
        return last.list;
      }
    }
    var read = format.fromMessage(message);
    if (read instanceof MoviesListed list) {
      lasts.put(list.cinema(), new Last(message, list));
    }
    return read;
  }

  private static boolean isSame(Message first, Message second) {
    return Arrays.equals(first.getBody(), second.getBody())
        && isSame(first.getMessageProperties(), second.getMessageProperties());
  }

  /** Compares the properties that say how a body is read. */
  private static boolean isSame(MessageProperties first, MessageProperties second) {
    return Objects.equals(first.<Object>getHeader(TYPE), second.<Object>getHeader(TYPE))
        && Objects.equals(first.getContentType(), second.getContentType())
        && Objects.equals(first.getContentEncoding(), second.getContentEncoding());
  }
}
