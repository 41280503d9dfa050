package testbed.ticket.office;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import testbed.ticket.TicketSettings;
import testbed.ticket.pdf.TicketPrinter;

/** Wires what builds tickets, for a service with {@link WaitingTickets}. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TicketSettings.class)
public class TicketOfficeConfiguration {

  @Bean
  TicketOffice ticketOffice(
      TicketSettings settings, MeterRegistry meters, Environment environment) {
    return new TicketOffice(
        new TicketPrinter(settings.pages())::print,
        settings.storeBytes().toBytes(),
        "queue".equals(environment.getProperty("ticket.source")),
        meters);
  }

  @Bean
  TicketAccounts ticketAccounts(TicketOffice office, WaitingTickets waiting) {
    return new TicketAccounts(office, waiting);
  }

  @Bean
  MeterBinder waitingTickets(WaitingTickets waiting) {
    return meters ->
        Gauge.builder("tickets.waiting", waiting, WaitingTickets::getAsInt)
            .description("Tickets that wait to be built")
            .register(meters);
  }
}
