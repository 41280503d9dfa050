package testbed.poster.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import testbed.contracts.ProblemType;
import testbed.poster.HostileImages;
import testbed.poster.SamplePosters;
import testbed.poster.image.Codec;
import testbed.poster.image.Format;
import testbed.poster.work.Room;
import testbed.support.deadline.Deadline;

@SpringBootTest(properties = {"poster.max-wait=50ms", "poster.held-bytes=8MB"})
@AutoConfigureMockMvc
class PosterEdgeTest {

  private static final Codec CODEC = new Codec(10_000_000, 0.9f);
  private static final byte[] JPEG = CODEC.encoded(Format.JPEG, SamplePosters.image(2560, 1440, 1));

  @Autowired MockMvcTester http;
  @Autowired Room room;

  @Test
  void editsAPoster() {
    var answer = post("image/jpeg", JPEG);

    assertThat(answer)
        .hasStatusOk()
        .hasContentType("image/jpeg")
        .hasHeader("Poster-Steps", "adjust, convert, label");
    assertThat(answer)
        .headers()
        .hasHeaderSatisfying(
            "Poster-Digest", values -> assertThat(values.getFirst()).matches("[0-9a-f]{64}"));
    var poster = CODEC.decoded(Format.JPEG, answer.getResponse().getContentAsByteArray());
    assertThat(poster.getWidth()).isEqualTo(1920);
    assertThat(poster.getHeight()).isEqualTo(1080);
    assertThat(poster.getRaster().getNumBands()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "image/png, image/png",
    "'image/png, image/jpeg', image/jpeg",
    "image/*, image/jpeg",
    "image/x-raw, image/x-raw"
  })
  void answersInAFormatThatTheClientTakes(String accept, String type) {
    assertThat(post("image/jpeg", JPEG, HttpHeaders.ACCEPT, accept))
        .hasStatusOk()
        .hasContentType(type);
  }

  @ParameterizedTest
  @CsvSource({"image/gif, 406", "nonsense, 406"})
  void refusesOtherFormatsOfAnswers(String accept, int status) {
    assertProblem(
        post("image/jpeg", JPEG, HttpHeaders.ACCEPT, accept), status, ProblemType.NOT_ACCEPTABLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "image/gif",
        "application/json",
        "application/octet-stream",
        "multipart/form-data",
        "multipart/form-data; boundary=x"
      })
  void refusesOtherMediaTypes(String type) {
    assertProblem(post(type, JPEG), 415, ProblemType.UNSUPPORTED_MEDIA_TYPE);
  }

  static Stream<Arguments> refusesHostileBodies() {
    return Stream.of(
        Arguments.of("image/jpeg", new byte[0], ProblemType.IMAGE_UNREADABLE),
        Arguments.of("image/png", JPEG, ProblemType.IMAGE_UNREADABLE),
        Arguments.of(
            "image/jpeg", HostileImages.truncated(JPEG, 0.7), ProblemType.IMAGE_UNREADABLE),
        Arguments.of("image/png", HostileImages.png(30_000, 30_000, 1000), ProblemType.TOO_LARGE),
        Arguments.of("image/jpeg", HostileImages.jpeg(JPEG, 65_000, 65_000), ProblemType.TOO_LARGE),
        Arguments.of("image/jpeg", new byte[9_000_000], ProblemType.TOO_LARGE));
  }

  @ParameterizedTest
  @MethodSource
  void refusesHostileBodies(String type, byte[] body, ProblemType problem) {
    assertProblem(post(type, body), problem.status(), problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"adjust, enlarge", "adjust,label", ""})
  void refusesStepsThatThereAreNot(String steps) {
    assertProblem(
        post("image/jpeg", JPEG, PosterApi.STEPS, steps), 400, ProblemType.INVALID_REQUEST);
  }

  @Test
  void tellsWhatWasDoneBeforeToo() {
    assertThat(post("image/jpeg", JPEG, PosterApi.STEPS, "label"))
        .hasHeader(PosterApi.STEPS, "label, adjust, convert, label");
  }

  @Test
  void refusesAPosterForWhichThereIsNoRoomForTooLong() {
    try (var everything = room.arriving(8 << 20)) {
      var answer = post("image/jpeg", JPEG);

      assertProblem(answer, 503, ProblemType.UNAVAILABLE);
      assertThat(answer).hasHeader(HttpHeaders.RETRY_AFTER, "1");
    }
    assertThat(post("image/jpeg", JPEG)).hasStatusOk();
  }

  @Test
  void doesNotBeginWhatNobodyWillWaitFor() {
    assertProblem(post("image/jpeg", JPEG, Deadline.HEADER, "1"), 504, ProblemType.TIME_LIMIT);
  }

  @Test
  void describesItself() {
    assertThat(http.get().uri("/openapi.yaml")).hasStatusOk().bodyText().contains("/api/posters");
  }

  private MvcTestResult post(String type, byte[] body, String... header) {
    var request = http.post().uri("/api/posters").contentType(MediaType.parseMediaType(type));
    if (header.length > 0) {
      request.header(header[0], header[1]);
    }
    return request.content(body).exchange();
  }

  private static void assertProblem(MvcTestResult answer, int status, ProblemType type) {
    assertThat(answer).hasStatus(status).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
    assertThat(answer).bodyJson().extractingPath("$.type").isEqualTo(type.uri().toString());
  }
}
