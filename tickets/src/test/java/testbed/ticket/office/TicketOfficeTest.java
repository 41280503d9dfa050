package testbed.ticket.office;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.ticket.Examples.janes;
import static testbed.ticket.Examples.someId;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import testbed.contracts.ReservationId;
import testbed.ticket.office.Tickets.Found;

@Timeout(30)
class TicketOfficeTest {

  private static final int PDF_BYTES = 1_000;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final AtomicInteger printed = new AtomicInteger();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final TicketOffice office = office(false);
  private final ReservationId id = someId();

  @Test
  void handsOutWhatItHasBuilt() {
    office.build(janes(id));

    assertThat(office.find(id, Duration.ZERO))
        .isInstanceOfSatisfying(
            Found.Ticket.class, ticket -> assertThat(ticket.pdf()).hasSize(PDF_BYTES));
    assertThat(office.byFate().get(Fate.BUILT)).extracting(Ledger.Entry::id).containsExactly(id);
    assertThat(count("built")).isEqualTo(1);
  }

  @Test
  void doesNotGiveUpWhatItHasBuilt() {
    office.build(janes(id));
    office.fail(id);

    assertThat(office.byFate()).containsOnlyKeys(Fate.BUILT);
    assertThat(count("failed")).isZero();
  }

  @Test
  void keepsNothingWithoutRoom() {
    var store = new TicketStore(0);
    store.keep(id, new byte[1]);

    assertThat(store.find(id)).isNull();
  }

  @Test
  void buildsATicketOnceHoweverOftenItIsWanted() {
    assertThat(office.accept(id)).isTrue();
    assertThat(office.accept(id)).isFalse();
    office.build(janes(id));
    assertThat(office.accept(id)).isFalse();
    office.build(janes(id));

    assertThat(printed).hasValue(1);
    assertThat(count("built")).isEqualTo(1);
  }

  @Test
  void buildsATicketOnceThoughTwoThreadsBeginIt() throws Exception {
    var begun = new CountDownLatch(1);
    var end = new CountDownLatch(1);
    var slow =
        new TicketOffice(
            reservation -> {
              printed.incrementAndGet();
              begun.countDown();
              await(end);
              return new byte[PDF_BYTES];
            },
            Long.MAX_VALUE,
            false,
            meters);
    try (var builders = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = builders.submit(() -> slow.build(janes(id)));
      begun.await();
      slow.build(janes(id));
      end.countDown();
      first.get();
    }

    assertThat(printed).hasValue(1);
    assertThat(count("built")).isEqualTo(1);
  }

  private static void untilSomebodyWaits(TicketOffice office) {
    while (office.expected() == 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void saysThatATicketIsNotBuiltYet() {
    office.accept(id);

    assertThat(office.find(id, Duration.ZERO)).isInstanceOf(Found.Waiting.class);
  }

  @Test
  void doesNotWaitForATicketThatNobodyWants() {
    assertThat(office.find(id, LONG)).isInstanceOf(Found.Unknown.class);
  }

  @Test
  void handsATicketToAllWhoWaitForIt() throws Exception {
    office.accept(id);
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var waiting =
          Stream.generate(() -> clients.submit(() -> office.find(id, LONG))).limit(20).toList();
      untilSomebodyWaits(office);
      office.build(janes(id));

      for (var answer : waiting) {
        assertThat(answer.get()).isInstanceOf(Found.Ticket.class);
      }
    }
    assertThat(office.expected()).isZero();
  }

  @Test
  void waitsForAnOrderThatComesAfterItsFetch() throws Exception {
    var late = office(true);
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var waiting = clients.submit(() -> late.find(id, LONG));
      untilSomebodyWaits(late);
      late.build(janes(id));

      assertThat(waiting.get()).isInstanceOf(Found.Ticket.class);
    }
    assertThat(late.find(someId(), Duration.ZERO)).isInstanceOf(Found.Unknown.class);
    assertThat(late.expected()).isZero();
  }

  @Test
  void tellsThoseWhoWaitThatThereWillBeNoTicket() throws Exception {
    office.accept(id);
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var waiting = clients.submit(() -> office.find(id, LONG));
      untilSomebodyWaits(office);
      office.drop(id);

      assertThat(waiting.get()).isInstanceOf(Found.Gone.class);
    }
    assertThat(office.byFate().get(Fate.DROPPED)).extracting(Ledger.Entry::id).containsExactly(id);
    assertThat(count("dropped")).isEqualTo(1);
  }

  @Test
  void takesATicketAgainThatWasRefusedOrLost() {
    for (var other : Stream.generate(() -> someId()).limit(3).toList()) {
      office.accept(other);
      office.refuse(other);
      assertThat(office.accept(other)).isTrue();
      office.fail(other);
      assertThat(office.accept(other)).isTrue();
      office.build(janes(other));
      assertThat(office.find(other, Duration.ZERO)).isInstanceOf(Found.Ticket.class);
    }
    assertThat(office.byFate()).doesNotContainKey(Fate.REFUSED);
    assertThat(count("refused")).isEqualTo(3);
    assertThat(count("failed")).isEqualTo(3);
  }

  @Test
  void keepsOnlySoManyBytesAndAccountsForTheRest() {
    var built = Stream.generate(() -> someId()).limit(10).toList();

    built.forEach(id -> office.build(janes(id)));

    assertThat(built.subList(0, 7))
        .allSatisfy(id -> assertThat(office.find(id, LONG)).isInstanceOf(Found.Gone.class));
    assertThat(built.subList(7, 10))
        .allSatisfy(id -> assertThat(office.find(id, LONG)).isInstanceOf(Found.Ticket.class));
    assertThat(office.byFate().get(Fate.BUILT)).extracting(Ledger.Entry::id).isEqualTo(built);
    assertThat(meters.get("ticket.store.bytes").gauge().value())
        .isEqualTo(3.0 * (PDF_BYTES + TicketStore.OVERHEAD_BYTES));
    assertThat(meters.get("ticket.store.evicted").functionCounter().count()).isEqualTo(7);
  }

  @Test
  void buildsATicketAgainThatIsNoLongerKept() {
    office.build(janes(id));
    Stream.generate(() -> someId()).limit(3).forEach(other -> office.build(janes(other)));

    assertThat(office.accept(id)).isTrue();
    office.build(janes(id));

    assertThat(office.find(id, Duration.ZERO)).isInstanceOf(Found.Ticket.class);
  }

  @Test
  void accountsForTheNewestTicketsOnly() {
    var ledger = new Ledger(2);
    var last = someId();
    Stream.of(someId(), id, last).forEach(built -> ledger.note(built, Fate.BUILT));

    assertThat(ledger.byFate().get(Fate.BUILT))
        .extracting(Ledger.Entry::id)
        .containsExactly(id, last);
    ledger.note(id, Fate.DROPPED);
    assertThat(ledger.byFate().get(Fate.BUILT)).extracting(Ledger.Entry::id).containsExactly(last);
    assertThat(ledger.of(id)).isEqualTo(Fate.DROPPED);
  }

  @Test
  void tellsWhenATicketWasBuiltAndHowManyAreSettled() {
    var accounts = new TicketAccounts(office, () -> 7);
    var before = System.currentTimeMillis();
    office.build(janes(id));
    office.refuse(someId());

    var detailed = accounts.accounts(null);
    assertThat(detailed.built()).containsExactly(id.toString());
    assertThat(detailed.builtAt().getFirst()).isBetween(before, System.currentTimeMillis());
    assertThat(detailed.settled()).isEqualTo(1);

    var brief = accounts.accounts(false);
    assertThat(brief.built()).isEmpty();
    assertThat(brief.refused()).isEmpty();
    assertThat(brief.settled()).isEqualTo(1);
    assertThat(brief.waiting()).isEqualTo(7);
  }

  @Test
  void handsOutATicketThoughItsFateIsForgotten() {
    office.build(janes(id));
    for (int refused = 0; refused < TicketOffice.ACCOUNTED; refused++) {
      office.refuse(someId());
    }

    assertThat(office.byFate()).containsOnlyKeys(Fate.REFUSED);
    assertThat(office.find(id, LONG)).isInstanceOf(Found.Ticket.class);
  }

  @Test
  void givesATicketUpWhoseBuilderBreaks() {
    var broken =
        new TicketOffice(
            reservation -> {
              throw new StackOverflowError("deep");
            },
            PDF_BYTES,
            false,
            meters);
    broken.accept(id);

    assertThatThrownBy(() -> broken.buildOrFail(janes(id))).isInstanceOf(StackOverflowError.class);

    assertThat(broken.find(id, LONG)).isInstanceOf(Found.Gone.class);
    assertThat(count("failed")).isEqualTo(1);
    assertThat(broken.accept(id)).isTrue();
  }

  @Test
  void leavesAFailureToItsCaller() {
    var broken =
        new TicketOffice(
            reservation -> {
              throw new IllegalStateException("no ink");
            },
            PDF_BYTES,
            false,
            new SimpleMeterRegistry());
    broken.accept(id);

    assertThatThrownBy(() -> broken.build(janes(id))).hasMessage("no ink");
    assertThat(broken.find(id, Duration.ZERO)).isInstanceOf(Found.Waiting.class);
  }

  private TicketOffice office(boolean early) {
    return new TicketOffice(
        reservation -> {
          printed.incrementAndGet();
          return new byte[PDF_BYTES];
        },
        3 * (PDF_BYTES + TicketStore.OVERHEAD_BYTES),
        early,
        early ? new SimpleMeterRegistry() : meters);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private double count(String fate) {
    return meters.get("tickets." + fate).counter().count();
  }
}
