package testbed.broker.messaging;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.MessageConverter;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operations;
import testbed.broker.operation.Reception;
import testbed.contracts.message.CinemaMessage.Response;

/**
 * Receives responses. One whose operation has expired is counted and is no error.
 *
 * <p>A plain listener: there are as many responses to a list as cinemas, and an annotated method's
 * headers and arguments were a quarter of what each of them cost.
 */
class ResponseListener implements MessageListener {

  private final LastLists lists;
  private final Operations operations;
  private final Map<Reception, Counter> receptions;

  ResponseListener(MessageConverter format, Operations operations, MeterRegistry meters) {
    this.lists = new LastLists(format);
    this.operations = operations;
    this.receptions =
        Arrays.stream(Reception.values())
            .collect(
                Collectors.toMap(
                    Function.identity(),
                    reception ->
                        Counter.builder("broker.responses")
                            .description("Responses from cinemas, by what became of them")
                            .tag("reception", reception.name().toLowerCase(Locale.ROOT))
                            .register(meters),
                    (first, second) -> first,
                    () -> new EnumMap<>(Reception.class)));
  }

  /**
   * @throws MessageConversionException if the message is no response or has no correlation id
   */
  @Override
  public void onMessage(Message message) {
    var correlationId = message.getMessageProperties().getCorrelationId();
    if (!(lists.read(message) instanceof Response response) || correlationId == null) {
      throw new MessageConversionException("not a response to a request");
    }
    var id = CorrelationId.valueOf(correlationId);
    counter(operations.receive(id, response, message.getBody().length)).increment();
  }

  private Counter counter(Reception reception) {
    return Objects.requireNonNull(receptions.get(reception));
  }
}
