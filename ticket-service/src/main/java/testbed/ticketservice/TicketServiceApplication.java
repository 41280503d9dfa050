package testbed.ticketservice;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.Import;
import testbed.ticket.office.TicketOfficeConfiguration;
import testbed.ticket.web.TicketController;

/** Builds tickets. */
@SpringBootApplication
@ConfigurationPropertiesScan
@Import({TicketOfficeConfiguration.class, TicketController.class})
public class TicketServiceApplication {

  public static void main(String[] args) {
    SpringApplication.run(TicketServiceApplication.class, args);
  }
}
