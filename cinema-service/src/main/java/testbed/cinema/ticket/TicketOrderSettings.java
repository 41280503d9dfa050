package testbed.cinema.ticket;

import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How a cinema orders tickets.
 *
 * @param url where the ticket service is
 * @param orderTimeout the longest wait until it has built an ordered ticket
 * @param confirms whether an order through a queue waits until the AMQP server has taken it over;
 *     otherwise what the server refuses is lost
 * @param persistent whether orders in a queue survive a restart of the AMQP server
 */
@ConfigurationProperties("ticket")
record TicketOrderSettings(
    @DefaultValue("http://localhost:8086") URI url,
    @DefaultValue("10s") Duration orderTimeout,
    @DefaultValue("true") boolean confirms,
    @DefaultValue("true") boolean persistent) {}
