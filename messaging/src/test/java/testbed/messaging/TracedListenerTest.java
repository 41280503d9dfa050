package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import testbed.messaging.testing.ContainerDelivery;

class TracedListenerTest {

  private final List<String> ended = new ArrayList<>();
  private final ObservationRegistry observations = ObservationRegistry.create();

  TracedListenerTest() {
    observations
        .observationConfig()
        .observationHandler(
            new ObservationHandler<Observation.Context>() {
              @Override
              public void onStop(Observation.Context context) {
                ended.add(String.valueOf(context.getContextualName()));
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
  }

  @Test
  void observesWhatWasSentWithinATrace() {
    receive(
        MessageBuilder.withBody(new byte[0])
            .setHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            .build());

    assertThat(ended).containsExactly("requests receive");
  }

  @Test
  void doesNotObserveSignsOfPresence() {
    receive(MessageBuilder.withBody(new byte[0]).build());

    assertThat(ended).isEmpty();
  }

  private void receive(Message message) {
    message.getMessageProperties().setConsumerQueue("requests");
    ContainerDelivery.deliver(
        message, null, received -> {}, new TracedListener(() -> observations));
  }
}
