package testbed.poster.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.bind.annotation.RestController;
import testbed.poster.PosterSettings;
import testbed.poster.work.Edited;
import testbed.poster.work.Editor;
import testbed.support.deadline.Deadline;

/** Answers with the finished poster: that of the next service, where one follows. */
@RestController
@ConditionalOnProperty(name = "poster.answers", havingValue = "chain")
class ChainController {

  private static final List<String> PASSED_ON =
      List.of(
          HttpHeaders.CONTENT_TYPE,
          HttpHeaders.CONTENT_LENGTH,
          HttpHeaders.RETRY_AFTER,
          PosterApi.STEPS,
          PosterApi.DIGEST);

  private final PosterSettings settings;
  private final Reception reception;
  private final Editor editor;
  private final Neighbours neighbours;

  ChainController(
      PosterSettings settings, Reception reception, Editor editor, Neighbours neighbours) {
    this.settings = settings;
    this.reception = reception;
    this.editor = editor;
    this.neighbours = neighbours;
  }

  @TakesPosters
  void edit(HttpServletRequest request, HttpServletResponse response) throws IOException {
    try (var deadline = Deadline.within(settings.deadline()).bind();
        var edited = editor.edited(reception.received(request))) {
      if (settings.isLast()) {
        answer(edited, response);
      } else {
        neighbours.ask(edited, headers -> {}, answer -> passOn(answer, edited, response));
      }
    }
  }

  private static void answer(Edited edited, HttpServletResponse response) throws IOException {
    var poster = edited.poster();
    response.setContentType(poster.format().mediaType());
    response.setContentLength(poster.bytes().length);
    response.setHeader(PosterApi.STEPS, PosterApi.shown(edited.done()));
    response.setHeader(PosterApi.DIGEST, edited.digest());
    response.getOutputStream().write(poster.bytes());
  }

  /** Streams the answer in small parts. */
  private static void passOn(ClientHttpResponse answer, Edited asked, HttpServletResponse response)
      throws IOException {
    asked.close();
    response.setStatus(answer.getStatusCode().value());
    PosterApi.copy(PASSED_ON, answer.getHeaders()::getFirst, response::setHeader);
    try {
      answer.getBody().transferTo(response.getOutputStream());
    } catch (IOException brokenOff) {
      // Reset what is not sent yet: a problem has another length.
      if (!response.isCommitted()) {
        response.reset();
      }
      throw brokenOff;
    }
  }
}
