package testbed.broker.operation;

import java.util.List;
import testbed.contracts.CinemaName;
import testbed.contracts.message.CinemaMessage.Response;

/**
 * What a fetch finds.
 *
 * @param responses of the cinemas that answered, by name; at least one
 * @param missing those that are known and did not, by name
 */
public record Answer<A extends Response>(List<A> responses, List<CinemaName> missing) {}
