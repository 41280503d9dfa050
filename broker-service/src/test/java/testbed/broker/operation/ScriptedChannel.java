package testbed.broker.operation;

import java.util.ArrayList;
import java.util.List;
import testbed.contracts.message.CinemaMessage.Question;

/** Records what is sent and reports the delivery that the test has chosen. */
class ScriptedChannel implements RequestChannel {

  record Sent(CorrelationId id, Operation<?> operation, Question<?> request) {}

  final List<Sent> sent = new ArrayList<>();
  Delivery delivery = Delivery.CONFIRMED;
  Runnable beforeItIsConfirmed = () -> {};

  @Override
  public Delivery send(CorrelationId id, Operation<?> operation, Question<?> request) {
    sent.add(new Sent(id, operation, request));
    beforeItIsConfirmed.run();
    return delivery;
  }

  CorrelationId lastId() {
    return sent.getLast().id();
  }
}
