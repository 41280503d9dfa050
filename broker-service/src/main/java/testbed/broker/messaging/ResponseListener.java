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
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operations;
import testbed.broker.operation.Reception;
import testbed.contracts.message.CinemaResponse;
import testbed.contracts.message.Topology;

/** Takes responses in. One that nobody waits for any more is counted, not an error. */
class ResponseListener {

  private final Operations operations;
  private final Map<Reception, Counter> receptions;

  ResponseListener(Operations operations, MeterRegistry meters) {
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
                    (one, other) -> one,
                    () -> new EnumMap<>(Reception.class)));
  }

  @RabbitListener(queues = Topology.RESPONSE_QUEUE)
  void receive(
      @Payload CinemaResponse response, @Header(AmqpHeaders.CORRELATION_ID) String correlationId) {
    var reception = operations.receive(CorrelationId.valueOf(correlationId), response);
    counter(reception).increment();
  }

  private Counter counter(Reception reception) {
    return Objects.requireNonNull(receptions.get(reception));
  }
}
