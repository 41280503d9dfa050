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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;
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
   * @param instances where the inventory is now
   */
  RemoteInventory(InventoryApi api, Supplier<List<URI>> instances) {
    this.api = api;
    this.instances = instances;
    this.silent = new SilentInstances(instances);
  }

  @Override
  public Optional<Stock> stock(long beanId) {
    return ask(instance -> api.stock(instance, beanId), HttpStatus.NOT_FOUND)
        .map(RemoteInventory::body);
  }

  @Override
  public List<Stock> stocks(Collection<Long> beanIds) {
    return beanIds.isEmpty()
        ? List.of()
        : ask(instance -> api.stocks(instance, beanIds), null)
            .map(RemoteInventory::body)
            .orElseThrow();
  }

  @Override
  public void remove(long beanId) {
    ask(instance -> api.remove(instance, beanId), null);
  }

  @Override
  public boolean removeOrdersOf(String client) {
    return ask(instance -> api.removeOrders(instance, client), HttpStatus.CONFLICT).isPresent();
  }

  /**
   * Asks one instance, or the next ones.
   *
   * @param refusal a status that is an answer, too: then it is empty
   */
  private <T> Optional<ResponseEntity<T>> ask(
      Function<UriBuilderFactory, ResponseEntity<T>> question, @Nullable HttpStatus refusal) {
    var left = silent.leaveOut(instances.get());
    int first = turn.getAndIncrement();
    for (int tried = 0; tried < left.size(); tried++) {
      var instance = left.get(Math.floorMod(first + tried, left.size()));
      long asked = System.nanoTime();
      try {
        var answer = question.apply(new DefaultUriBuilderFactory(instance.toString()));
        silent.answered(instance);
        return Optional.of(answer);
      } catch (RestClientResponseException refused) {
        silent.answered(instance);
        if (refused.getStatusCode().equals(refusal)) {
          return Optional.empty();
        }
        log.warn("The inventory answered {}", refused.getStatusCode());
        break;
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
