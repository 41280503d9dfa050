package testbed.poster.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import testbed.poster.PosterSettings;
import testbed.poster.work.Editor;
import testbed.poster.work.Lease;
import testbed.support.deadline.Deadline;
import testbed.support.problem.ProblemException;

/**
 * The first service, where the last one sends the result to the first. A waiting request holds
 * neither a thread nor bytes.
 */
@RestController
@ConditionalOnProperty(name = "poster.answers", havingValue = "first")
@ConditionalOnExpression("'${poster.first:}' == ''")
class FirstController {

  private final PosterSettings settings;
  private final Reception reception;
  private final Editor editor;
  private final Neighbours neighbours;
  private final Map<UUID, Waiting> requests = new ConcurrentHashMap<>();

  FirstController(
      PosterSettings settings, Reception reception, Editor editor, Neighbours neighbours) {
    this.settings = settings;
    this.reception = reception;
    this.editor = editor;
    this.neighbours = neighbours;
  }

  @TakesPosters
  DeferredResult<ResponseEntity<byte[]>> edit(HttpServletRequest request) {
    var deadline = Deadline.within(settings.deadline());
    try (var bound = deadline.bind();
        var edited = editor.edited(reception.received(request))) {
      var id = UUID.randomUUID();
      var waiting = new Waiting();
      // The container's own limit would count from the end of this method, and 0 would be none.
      var late =
          new CompletableFuture<Boolean>()
              .completeOnTimeout(true, deadline.millisLeft(), TimeUnit.MILLISECONDS);
      late.thenRun(() -> waiting.setErrorResult(new NoAnswer()));
      waiting.onCompletion(
          () -> {
            late.cancel(false);
            requests.remove(id);
            waiting.giveBack();
          });
      requests.put(id, waiting);
      try {
        neighbours.ask(
            edited,
            headers -> headers.set(PosterApi.ID, id.toString()),
            answer -> settle(waiting, answer));
      } catch (RuntimeException unasked) {
        late.cancel(false);
        requests.remove(id);
        // The answer may have come all the same: before, or it is let go of by whoever brings it.
        waiting.setErrorResult(unasked);
        waiting.giveBack();
        throw unasked;
      }
      return waiting;
    }
  }

  @PostMapping(PosterApi.ANSWERS + "{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void answer(
      @PathVariable UUID id,
      @RequestHeader(name = PosterApi.STATUS, defaultValue = "200") int status,
      HttpServletRequest request) {
    var waiting = requests.remove(id);
    if (waiting == null) {
      throw new NobodyWaits();
    }
    try {
      var lease = reception.answer(request);
      try {
        waiting.answer(answer(status, request), lease);
      } catch (RuntimeException unread) {
        lease.close();
        throw unread;
      }
    } catch (RuntimeException unread) {
      waiting.setErrorResult(unread instanceof ProblemException problem ? problem : new NoAnswer());
      throw unread;
    }
  }

  private ResponseEntity<byte[]> answer(int status, HttpServletRequest request) {
    var answer = ResponseEntity.status(status);
    PosterApi.copy(
        List.of(
            HttpHeaders.CONTENT_TYPE, HttpHeaders.RETRY_AFTER, PosterApi.STEPS, PosterApi.DIGEST),
        request::getHeader,
        answer::header);
    return answer.body(reception.body(request));
  }

  /** The next service has accepted or refused the poster. */
  private static void settle(Waiting waiting, ClientHttpResponse answer) throws IOException {
    if (answer.getStatusCode().isError()) {
      var refusal = ResponseEntity.status(answer.getStatusCode());
      PosterApi.copy(PosterApi.OF_REFUSALS, answer.getHeaders()::getFirst, refusal::header);
      waiting.setResult(refusal.body(answer.getBody().readAllBytes()));
    }
  }

  /** A client's waiting request. */
  private static final class Waiting extends DeferredResult<ResponseEntity<byte[]>> {

    private volatile @Nullable Lease room;

    Waiting() {
      super(0L);
    }

    /** Holds the memory of the answer until it is sent. */
    void answer(ResponseEntity<byte[]> answer, Lease lease) {
      room = lease;
      if (!setResult(answer)) {
        lease.close();
      }
    }

    void giveBack() {
      var lease = room;
      if (lease != null) {
        lease.close();
      }
    }
  }
}
