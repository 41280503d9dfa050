package testbed.poster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import testbed.poster.image.Codec;
import testbed.poster.image.Format;
import testbed.poster.work.Room;
import testbed.support.testing.HeldPort;
import testbed.support.testing.StandInServer;

/** Three services, each with a step, over HTTP: with answers back along the chain, and without. */
class ChainTest {

  private static final String STEPS = "adjust, convert, label";
  private static final byte[] POSTER =
      new Codec(1, 0.9f).encoded(Format.PNG, SamplePosters.image(2400, 1350, 11));

  /** What one service that does everything answers. */
  private static ResponseEntity<byte[]> expected;

  private final Deque<AutoCloseable> running = new ArrayDeque<>();

  @BeforeAll
  static void askOneService() {
    try (var alone = new RunningNode()) {
      expected = alone.post(Format.PNG, POSTER);
    }
  }

  @AfterEach
  void close() throws Exception {
    while (!running.isEmpty()) {
      running.pop().close();
    }
  }

  @ParameterizedTest
  @CsvSource({"chain, png", "chain, raw", "first, png", "first, raw"})
  void givesThePixelsOfOneServiceThatDoesEverything(String answers, String wire) {
    var answer = chain(answers, "poster.wire=" + wire).getLast().post(Format.PNG, POSTER);

    assertThat(answer.getStatusCode().value()).isEqualTo(200);
    assertThat(answer.getHeaders().getFirst("Poster-Steps")).isEqualTo(STEPS);
    assertThat(answer.getHeaders().getFirst("Poster-Digest"))
        .isEqualTo(expected.getHeaders().getFirst("Poster-Digest"));
    assertThat(answer.getBody()).isEqualTo(expected.getBody());
    assertThat(answer.getHeaders().getContentType()).hasToString("image/png");
    assertThat(Codec.digest(new Codec(10_000_000, 1).decoded(Format.PNG, answer.getBody())))
        .isEqualTo(expected.getHeaders().getFirst("Poster-Digest"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"chain", "first"})
  void takesTheAnswersFormatFromTheClient(String answers) {
    var first = chain(answers).getLast();

    var jpeg = new Codec(1, 0.9f).encoded(Format.JPEG, SamplePosters.image(300, 200, 1));
    assertThat(first.post(Format.JPEG, jpeg).getHeaders().getContentType())
        .hasToString("image/jpeg");
    var headers = new HttpHeaders();
    headers.set(HttpHeaders.ACCEPT, "image/png");
    assertThat(first.post(Format.JPEG, jpeg, headers).getHeaders().getContentType())
        .hasToString("image/png");
  }

  @ParameterizedTest
  @ValueSource(strings = {"chain", "first"})
  void tellsEveryStepWhileEveryServiceIsThereAndTheClientWhatIsAway(String answers) {
    var chain = chain(answers);
    var first = chain.getLast();

    assertThat(first.get("/api/posters/steps").getBody())
        .isEqualTo("[\"adjust\",\"convert\",\"label\"]");
    chain.getFirst().close();
    assertThat(first.get("/api/posters/steps").getStatusCode().value()).isEqualTo(503);
    assertProblem(first.post(Format.PNG, POSTER), 503, "unavailable");
  }

  @ParameterizedTest
  @ValueSource(strings = {"chain", "first"})
  void tellsTheClientWhatAServiceBehindRefuses(String answers) {
    // What the first can reduce to 1920 x 1080, the others do not take.
    int port = heldPort();
    var behind =
        started("poster.max-pixels=1000000", "poster.answers=" + answers, first(answers, port));
    var first =
        started(
            "poster.steps=adjust",
            "poster.answers=" + answers,
            "poster.next=" + behind.address(),
            "node.port=" + port);

    assertProblem(first.post(Format.PNG, POSTER), 413, "too-large");
  }

  @Test
  void tellsTheClientThatTheNextServiceIsLate() {
    var silent = new StandInServer().isSilent();
    running.push(silent);
    var node = started("poster.next=" + silent.address(), "poster.deadline=1s");
    var began = System.nanoTime();

    assertProblem(node.post(Format.PNG, POSTER), 504, "time-limit");
    // Less than the limit that every other test has, and many times the one of this test.
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void tellsTheClientThatAnAnswerBreaksOff() {
    var breaking =
        new StandInServer()
            .does(
                request -> {
                  request.getRequestBody().readAllBytes();
                  request.getResponseHeaders().set("Content-Type", "image/png");
                  request.sendResponseHeaders(200, 1_000);
                  request.getResponseBody().write(new byte[10]);
                  request.close();
                });
    running.push(breaking);
    var node = started("poster.next=" + breaking.address());

    assertProblem(node.post(Format.PNG, POSTER), 503, "unavailable");
  }

  @Test
  void tellsTheClientThatNobodyAnsweredTheFirst() {
    var silent = new StandInServer().answers(202, "text/plain", "");
    running.push(silent);
    var first =
        started("poster.answers=first", "poster.next=" + silent.address(), "poster.deadline=1s");

    assertProblem(first.post(Format.PNG, POSTER), 504, "time-limit");
  }

  @Test
  void waitsNoLongerThanItsDeadlineForTheFirst() {
    var deadline = Duration.ofSeconds(4);
    // Until it is passed on: a first service that gives up before is early.
    var passedOn = new AtomicLong(System.nanoTime() + deadline.toNanos());
    var slow =
        new StandInServer()
            .does(
                request -> {
                  LockSupport.parkNanos(deadline.minusMillis(200).toNanos());
                  passedOn.set(System.nanoTime());
                  StandInServer.respond(request, 202, "text/plain", "");
                });
    running.push(slow);
    var first =
        started("poster.answers=first", "poster.next=" + slow.address(), "poster.deadline=4s");

    // Passing the poster on has used up the deadline, however slow this machine is: what is left
    // for the result is next to nothing, not the deadline once more. Unless this machine stops just
    // then, which it does not every time.
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              assertProblem(first.post(Format.PNG, POSTER), 504, "time-limit");
              assertThat(Duration.ofNanos(System.nanoTime() - passedOn.get()))
                  .isLessThan(deadline.dividedBy(2));
            });
  }

  @Test
  void tellsTheClientWhatTheLastServiceRefuses() {
    int port = heldPort();
    var late =
        new StandInServer()
            .answers(
                504, "application/problem+json", "{\"type\":\"urn:testbed:problem:time-limit\"}");
    running.push(late);
    var converter =
        started(
            "poster.steps=convert",
            "poster.answers=first",
            first("first", port),
            "poster.next=" + late.address());
    var adjuster =
        started(
            "poster.steps=adjust",
            "poster.answers=first",
            "poster.next=" + converter.address(),
            "node.port=" + port);

    assertProblem(adjuster.post(Format.PNG, POSTER), 504, "time-limit");
  }

  @Test
  void saysWhenToTryAgainIfItHasNoRoomForTheAnswer() {
    var first = chain("first", "poster.max-wait=500ms").getLast();
    try (var all = first.bean(Room.class).answer(16 << 20)) {
      var answer = first.post(Format.PNG, POSTER);

      assertProblem(answer, 503, "unavailable");
      assertThat(answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo("1");
    }
  }

  @Test
  void tellsTheNextServiceHowLongItWaits() {
    var asked = new ArrayList<String>();
    var next =
        new StandInServer()
            .does(
                request -> {
                  asked.add(request.getRequestHeaders().getFirst("Request-Timeout-Millis"));
                  asked.add(request.getRequestHeaders().getFirst("Poster-Steps"));
                  StandInServer.respond(request, 200, "image/png", "");
                });
    running.push(next);
    var node = started("poster.steps=adjust, convert", "poster.next=" + next.address());

    node.post(Format.PNG, POSTER);

    assertThat(Long.parseLong(asked.get(0))).isBetween(1L, 60_000L);
    assertThat(asked.get(1)).isEqualTo("adjust, convert");
  }

  @Test
  void knowsNoAnswerThatNobodyWaitsFor() {
    var first = started("poster.answers=first", "poster.next=http://localhost:1");

    var answer =
        first.postTo(
            "/api/posters/answers/5a8b9c0d-0000-4000-8000-000000000000",
            Format.PNG,
            POSTER,
            new HttpHeaders());

    assertProblem(answer, 404, "not-found");
  }

  private List<RunningNode> chain(String answers, String... further) {
    int port = heldPort();
    var behind = new String[] {"poster.answers=" + answers, first(answers, port)};
    var labeler = started(with(behind, further, "poster.steps=label"));
    var converter =
        started(with(behind, further, "poster.steps=convert", "poster.next=" + labeler.address()));
    var adjuster =
        started(
            with(
                further,
                "poster.steps=adjust",
                "poster.answers=" + answers,
                "poster.next=" + converter.address(),
                "node.port=" + port));
    return List.of(labeler, converter, adjuster);
  }

  private RunningNode started(String... settings) {
    var node = new RunningNode(settings);
    running.push(node);
    return node;
  }

  private static String[] with(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }

  private static String[] with(String[] some, String[] others, String... more) {
    return with(with(some, others), more);
  }

  private static String first(String answers, int port) {
    return answers.equals("first") ? "poster.first=http://localhost:" + port : "poster.first=";
  }

  private int heldPort() {
    var port = new HeldPort();
    running.push(port);
    return port.number();
  }

  private static void assertProblem(ResponseEntity<byte[]> answer, int status, String type) {
    assertThat(answer.getBody()).isNotNull();
    var body = new String(answer.getBody(), StandardCharsets.UTF_8);
    assertThat(answer.getStatusCode().value()).as(body).isEqualTo(status);
    assertThat(answer.getHeaders().getContentType()).hasToString("application/problem+json");
    assertThat(body).contains("urn:testbed:problem:" + type);
  }
}
