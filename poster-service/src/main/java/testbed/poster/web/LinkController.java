package testbed.poster.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.ProblemType;
import testbed.poster.PosterSettings;
import testbed.poster.work.Editor;
import testbed.poster.work.Received;
import testbed.support.deadline.Deadline;
import testbed.support.problem.ProblemException;
import testbed.support.problem.Problems;

/**
 * A service after the first, where the last one sends the result to the first: it accepts a poster
 * at once, edits it afterwards, and passes it on.
 */
@RestController
@ConditionalOnProperty(name = "poster.answers", havingValue = "first")
@ConditionalOnExpression("'${poster.first:}' != ''")
class LinkController {

  private static final Logger log = LoggerFactory.getLogger(LinkController.class);

  private final PosterSettings settings;
  private final Reception reception;
  private final Editor editor;
  private final Neighbours neighbours;
  private final ExecutorService threads;

  LinkController(
      PosterSettings settings,
      Reception reception,
      Editor editor,
      Neighbours neighbours,
      ExecutorService linkThreads) {
    this.settings = settings;
    this.reception = reception;
    this.editor = editor;
    this.neighbours = neighbours;
    this.threads = linkThreads;
  }

  /** As many are accepted as there is memory for. */
  @TakesPosters
  @ResponseStatus(HttpStatus.ACCEPTED)
  void take(@RequestHeader(PosterApi.ID) UUID id, HttpServletRequest request) {
    var deadline = Deadline.within(settings.deadline());
    try (var bound = deadline.bind()) {
      var received = reception.received(request);
      try {
        threads.execute(() -> work(id.toString(), received, deadline));
      } catch (RuntimeException | Error notTaken) {
        received.close();
        throw notTaken;
      }
    }
  }

  private void work(String id, Received received, Deadline deadline) {
    try (var bound = deadline.bind();
        var edited = editor.edited(received)) {
      if (settings.isLast()) {
        neighbours.answer(id, edited);
      } else {
        neighbours.ask(
            edited,
            headers -> headers.set(PosterApi.ID, id),
            answer -> {
              if (answer.getStatusCode().isError()) {
                neighbours.refuse(id, answer);
              }
            });
      }
    } catch (ProblemException problem) {
      refuse(id, problem);
    } catch (RuntimeException fault) {
      log.error("Poster {} failed", id, fault);
      refuse(id, new Fault());
    }
  }

  private void refuse(String id, ProblemException problem) {
    try {
      neighbours.refuse(
          id, Problems.of(problem.type(), problem.detail()), Problems.headers(problem));
    } catch (ProblemException away) {
      // The first service answers its client at the deadline.
      log.warn("Nobody could be told that poster {} failed: {}", id, problem.detail());
    }
  }

  /** The cause is in the log. */
  private static final class Fault extends ProblemException {

    Fault() {
      super(ProblemType.INTERNAL, "The request failed in a service behind the first.");
    }
  }
}
