package testbed.cinema.ticket;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import testbed.cinema.reservation.Reservations;
import testbed.messaging.BlockedConnection;
import testbed.messaging.ConfirmedConnection;
import testbed.support.preset.InvalidSetting;
import testbed.ticket.TicketSettings;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.TicketOfficeConfiguration;
import testbed.ticket.office.Tickets;
import testbed.ticket.office.Tickets.Found;
import testbed.ticket.web.TicketController;

/** Wires one of the ways to order tickets, or nothing where tickets are off. */
@Configuration(proxyBeanMethods = false)
class TicketConfiguration {

  private static final String WAY = "cinema.tickets";

  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(500);

  /** Time for a fetch beyond the longest wait for a ticket. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * @throws InvalidSetting if the cinema is asked by messages, which order no tickets
   */
  TicketConfiguration(Environment environment) {
    var way = environment.getProperty(WAY, "off");
    if (!"off".equals(way) && "amqp".equals(environment.getProperty("cinema.transport"))) {
      throw new InvalidSetting(
          "CINEMA_TICKETS", way, List.of("off, the only choice under CINEMA_TRANSPORT amqp"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = WAY, havingValue = "inline")
  @Import({TicketOfficeConfiguration.class, TicketController.class, Ticketing.class})
  static class Inline {

    @Bean
    InlineOrders ticketOrders(TicketOffice office, TicketSettings settings, MeterRegistry meters) {
      return new InlineOrders(office, settings, meters);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = WAY, havingValue = "http")
  @EnableConfigurationProperties({TicketSettings.class, TicketOrderSettings.class})
  @Import({TicketController.class, Ticketing.class})
  static class Http {

    @Bean
    TicketService ticketService(
        TicketOrderSettings service, TicketSettings settings, ObservationRegistry observations) {
      return service(service, settings, observations);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = WAY, havingValue = "queue")
  @EnableConfigurationProperties({TicketSettings.class, TicketOrderSettings.class})
  @Import({
    TicketController.class,
    Ticketing.class,
    ConfirmedConnection.class,
    BlockedConnection.class
  })
  static class Queue {

    @Bean
    QueueOrders ticketOrders(
        RabbitTemplate template,
        ConfirmedConnection confirmed,
        BlockedConnection connection,
        TicketOrderSettings settings) {
      return new QueueOrders(
          settings.confirms() ? confirmed.template() : template, connection, settings.persistent());
    }

    /**
     * The ticket service does not know what is still in the queue. Here every stored reservation
     * counts as ordered.
     */
    @Bean
    Tickets tickets(
        TicketOrderSettings service,
        TicketSettings settings,
        ObservationRegistry observations,
        Reservations reservations) {
      var tickets = service(service, settings, observations);
      return (id, wait) -> {
        reservations.get(id);
        var answer = tickets.find(id, wait);
        return answer instanceof Found.Unknown ? new Found.Waiting() : answer;
      };
    }
  }

  static TicketService service(
      TicketOrderSettings service, TicketSettings settings, ObservationRegistry observations) {
    var connections =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    return new TicketService(
        api(service.url(), connections, service.orderTimeout(), observations),
        api(service.url(), connections, settings.maxWait().plus(PATIENCE), observations));
  }

  private static TicketServiceApi api(
      URI service, HttpClient connections, Duration timeout, ObservationRegistry observations) {
    var requests = new JdkClientHttpRequestFactory(connections);
    requests.setReadTimeout(timeout);
    var client =
        RestClient.builder()
            .baseUrl(service)
            .requestFactory(requests)
            .observationRegistry(observations)
            .defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {})
            .build();
    return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
        .build()
        .createClient(TicketServiceApi.class);
  }
}
