package testbed.market.clients;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.token.TokenServer;
import testbed.support.problem.ProblemException;

/**
 * Brings to its end what a failure has left half done. Nothing is scheduled where clients have no
 * tokens.
 */
@Component
@PartOf(Part.CLIENTS)
class Reconciliation {

  private static final Logger log = LoggerFactory.getLogger(Reconciliation.class);

  private final Clients clients;
  private final ObjectProvider<TokenServer> tokens;

  Reconciliation(Clients clients, ObjectProvider<TokenServer> tokens) {
    this.clients = clients;
    this.tokens = tokens;
  }

  @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.SECONDS)
  void reconcile() {
    var server = tokens.getObject();
    try {
      clients.abandoned().forEach(clients::removeUnconfirmed);
      clients.unsettled().forEach(client -> clients.settle(server, client));
    } catch (ProblemException away) {
      log.debug("Tried again in a second: {}", away.detail());
    }
  }
}
