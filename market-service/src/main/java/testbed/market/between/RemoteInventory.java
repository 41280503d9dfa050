package testbed.market.between;

import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.util.DefaultUriBuilderFactory;
import org.springframework.web.util.UriBuilderFactory;
import testbed.support.instance.SilentInstances;

/**
 * The inventory of another process: its instances in turn, and the next one if an instance cannot
 * be reached. What is asked may be asked twice.
 */
class RemoteInventory implements Inventory {

  private static final Logger log = LoggerFactory.getLogger(RemoteInventory.class);

  private final InventoryApi api;
  private final Supplier<List<URI>> instances;
  private final SilentInstances silent;
  private final AtomicInteger turn = new AtomicInteger();

  /**
   * @param api answers whatever the status is
   * @param instances where the inventory is now
   */
  RemoteInventory(InventoryApi api, Supplier<List<URI>> instances) {
    this.api = api;
    this.instances = instances;
    this.silent = new SilentInstances(instances);
  }

  @Override
  public Optional<Stock> stock(long beanId) {
    var answer = ask(instance -> api.stock(instance, beanId), HttpStatus.NOT_FOUND);
    return isOf(answer, HttpStatus.NOT_FOUND) ? Optional.empty() : Optional.of(body(answer));
  }

  @Override
  public List<Stock> stocks(Collection<Long> beanIds) {
    return beanIds.isEmpty()
        ? List.of()
        : body(ask(instance -> api.stocks(instance, beanIds), HttpStatus.OK));
  }

  @Override
  public void remove(long beanId) {
    ask(instance -> api.remove(instance, beanId), HttpStatus.NO_CONTENT);
  }

  @Override
  public boolean removeOrdersOf(String client) {
    var answer = ask(instance -> api.removeOrders(instance, client), HttpStatus.CONFLICT);
    return !isOf(answer, HttpStatus.CONFLICT);
  }

  /**
   * Asks one instance, or the next ones.
   *
   * @param expected a status that is an answer, beside those of success
   */
  private <T> ResponseEntity<T> ask(
      Function<UriBuilderFactory, ResponseEntity<T>> question, HttpStatus expected) {
    var left = silent.leaveOut(instances.get());
    int first = turn.getAndIncrement();
    for (int tried = 0; tried < left.size(); tried++) {
      var instance = left.get(Math.floorMod(first + tried, left.size()));
      long asked = System.nanoTime();
      try {
        var answer = question.apply(new DefaultUriBuilderFactory(instance.toString()));
        silent.answered(instance);
        if (!answer.getStatusCode().is2xxSuccessful() && !isOf(answer, expected)) {
          log.warn("The inventory answered {}", answer.getStatusCode());
          throw new InventoryAway();
        }
        return answer;
      } catch (ResourceAccessException unreachable) {
        if (isLate(unreachable)) {
          silent.gaveUp(instance, asked);
          break;
        }
        silent.failed(instance);
      } catch (RestClientException unreadable) {
        log.warn("The inventory's answer cannot be read", unreadable);
        break;
      }
    }
    throw new InventoryAway();
  }

  private static boolean isOf(ResponseEntity<?> answer, HttpStatus status) {
    return answer.getStatusCode().isSameCodeAs(status);
  }

  private static <T> T body(ResponseEntity<T> answer) {
    var body = answer.getBody();
    if (body == null) {
      throw new InventoryAway();
    }
    return body;
  }

  private static boolean isLate(ResourceAccessException failure) {
    return (failure.contains(HttpTimeoutException.class)
            || failure.contains(InterruptedIOException.class))
        && !failure.contains(HttpConnectTimeoutException.class);
  }
}
