package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ReturnCallback;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;

/** Confirms over one channel, without a server; with one: {@code SharedConfirmsTest}. */
class ConfirmingTemplateTest {

  private static final Confirm TAKEN = new Confirm(true, null);
  private static final Confirm REFUSED = new Confirm(false, null);

  private final Channel channel = mock(Channel.class);
  private final com.rabbitmq.client.Connection server = mock(com.rabbitmq.client.Connection.class);
  private final ArgumentCaptor<ConfirmCallback> taken = ArgumentCaptor.captor();
  private final ArgumentCaptor<ConfirmCallback> refused = ArgumentCaptor.captor();
  private final ArgumentCaptor<ReturnCallback> returned = ArgumentCaptor.captor();
  private final ArgumentCaptor<ShutdownListener> ended = ArgumentCaptor.captor();
  private final ArgumentCaptor<AMQP.BasicProperties> properties = ArgumentCaptor.captor();
  private final ConfirmingTemplate template = new ConfirmingTemplate(Confirms.SHARED);
  private final List<CorrelationData> sent = new ArrayList<>();

  @BeforeEach
  void connect() throws Exception {
    var connection = mock(Connection.class);
    when(connection.getDelegate()).thenReturn(server);
    when(server.createChannel()).thenReturn(channel);
    var connections = mock(ConnectionFactory.class);
    when(connections.createConnection()).thenReturn(connection);
    template.setConnectionFactory(connections);
    when(channel.isOpen()).thenReturn(true);
    when(channel.getNextPublishSeqNo()).thenReturn(1L, 2L, 3L, 4L);
  }

  @Test
  void sendsEverythingOverOneChannelThatConfirms() throws Exception {
    send(3);

    verify(server, times(1)).createChannel();
    verify(channel, times(1)).confirmSelect();
    verify(channel, times(3)).basicPublish(eq("e"), eq("k"), eq(true), any(), any());
  }

  @Test
  void tellsEachMessageWhatBecameOfIt() throws Exception {
    send(3);

    taken.getValue().handle(2, false);
    refused.getValue().handle(1, false);

    assertThat(confirm(1)).isEqualTo(REFUSED);
    assertThat(confirm(2)).isEqualTo(TAKEN);
    assertThat(sent.get(2).getFuture()).isNotDone();
  }

  @Test
  void takesOneConfirmForAllEarlierMessages() throws Exception {
    send(4);
    refused.getValue().handle(2, false);

    taken.getValue().handle(3, true);

    assertThat(confirm(1)).isEqualTo(TAKEN);
    assertThat(confirm(2)).isEqualTo(REFUSED);
    assertThat(confirm(3)).isEqualTo(TAKEN);
    assertThat(sent.get(3).getFuture()).isNotDone();
  }

  @Test
  void knowsWhichMessageComesBack() throws Exception {
    send(2);
    verify(channel, times(2)).basicPublish(any(), any(), anyBoolean(), properties.capture(), any());

    returned
        .getValue()
        .handle(
            new Return(312, "NO_ROUTE", "e", "k", properties.getAllValues().get(1), new byte[0]));

    assertThat(sent.get(0).getReturned()).isNull();
    assertThat(sent.get(1).getReturned()).returns(312, ReturnedMessage::getReplyCode);
  }

  @Test
  void saysOfWhatWaitsThatNothingIsKnownWhenTheChannelEnds() throws Exception {
    send(2);
    taken.getValue().handle(1, false);

    ended.getValue().shutdownCompleted(end());

    assertThat(confirm(1)).isEqualTo(TAKEN);
    assertThat(confirm(2).ack()).isFalse();
    assertThat(confirm(2).reason()).isNotNull();
  }

  @Test
  void opensAnotherChannelWhenOneHasEnded() throws Exception {
    send(1);
    when(channel.isOpen()).thenReturn(false);

    send(1);

    verify(server, times(2)).createChannel();
  }

  @Test
  void waitsForNoServerThatIsNotReached() throws Exception {
    var reached = new CountDownLatch(1);
    var connections = template.getConnectionFactory();
    var connection = connections.createConnection();
    clearInvocations(connections);
    when(connections.createConnection())
        .thenAnswer(
            attempt -> {
              reached.await();
              return connection;
            });

    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () -> {
          try (var senders = Executors.newVirtualThreadPerTaskExecutor()) {
            var attempts =
                Stream.generate(
                        () ->
                            senders.submit(
                                () ->
                                    template.convertAndSend("e", "k", "m", new CorrelationData())))
                    .limit(5)
                    .toList();
            for (var attempt : attempts) {
              assertThatThrownBy(attempt::get).hasCauseInstanceOf(AmqpTimeoutException.class);
            }
          }
        });
    verify(connections, times(1)).createConnection();

    reached.countDown();
    send(1);
    verify(channel).basicPublish(eq("e"), eq("k"), eq(true), any(), any());
  }

  @Test
  void failsIfTheMessageCannotLeave() throws Exception {
    doThrow(new AlreadyClosedException(end()))
        .when(channel)
        .basicPublish(anyString(), anyString(), anyBoolean(), any(), any());

    assertThatThrownBy(() -> send(1)).isInstanceOf(AmqpException.class);

    ended.getValue().shutdownCompleted(end());
    assertThat(sent.getFirst().getFuture()).isNotDone();
  }

  @Test
  void leavesOtherChannelsAlone() throws Exception {
    var library = mock(Channel.class);
    var connection = mock(Connection.class);
    when(connection.createChannel(false)).thenReturn(library);
    when(template.getConnectionFactory().createConnection()).thenReturn(connection);

    template.convertAndSend("e", "k", "unconfirmed");

    verify(library).basicPublish(eq("e"), eq("k"), anyBoolean(), any(), any());
    verify(library, never()).confirmSelect();
  }

  private void send(int messages) throws Exception {
    for (int i = 0; i < messages; i++) {
      var confirmation = new CorrelationData();
      sent.add(confirmation);
      try {
        template.convertAndSend("e", "k", "message", confirmation);
      } finally {
        verify(channel, atLeastOnce()).addReturnListener(returned.capture());
        verify(channel, atLeastOnce()).addConfirmListener(taken.capture(), refused.capture());
        verify(channel, atLeastOnce()).addShutdownListener(ended.capture());
      }
    }
  }

  private Confirm confirm(int number) {
    return sent.get(number - 1).getFuture().resultNow();
  }

  private static ShutdownSignalException end() {
    return new ShutdownSignalException(true, false, null, null);
  }
}
