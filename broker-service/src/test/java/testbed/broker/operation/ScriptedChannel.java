package testbed.broker.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import testbed.contracts.message.CinemaMessage.Question;

/** Records what is sent and reports the delivery that the test has chosen. */
class ScriptedChannel implements RequestChannel {

  record Sent(
      CorrelationId id,
      Operation<?> operation,
      Question<?> request,
      CompletableFuture<?> answered) {}

  final List<Sent> sent = new ArrayList<>();
  Delivery delivery = Delivery.CONFIRMED;
  Runnable beforeItIsConfirmed = () -> {};

  @Override
  public Delivery send(
      CorrelationId id, Operation<?> operation, Question<?> request, CompletionStage<?> answered) {
    sent.add(new Sent(id, operation, request, answered.toCompletableFuture()));
    beforeItIsConfirmed.run();
    return delivery;
  }

  CorrelationId lastId() {
    return sent.getLast().id();
  }
}
