package testbed.bare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The answers of a system that gives its results at once, or acknowledges requests first. */
final class Answers {

  record Reply(int status, Map<String, String> headers, byte[] body) {}

  /** With {@code echo}, the JSON object has the declared members first, then the request's. */
  private record Answer(String request, boolean echo, Reply reply) {}

  private static final Map<String, String> TEXT = Map.of("Content-Type", "text/plain");

  private final boolean acknowledged;
  private final List<Answer> answers = new ArrayList<>();
  private final Map<String, Reply> results = new ConcurrentHashMap<>();
  private final AtomicLong requests = new AtomicLong();

  /**
   * @param declared {@code REQUEST|STATUS|MEMBERS|FILE|HEADER|...}: how the request line begins,
   *     the status, then the members of a JSON object or a file, or neither, then headers
   */
  Answers(boolean acknowledged, List<String> declared) throws IOException {
    this.acknowledged = acknowledged;
    for (var declaration : declared) {
      var parts = List.of(declaration.split("\\|", -1));
      var headers = new LinkedHashMap<>(Map.of("Content-Type", "application/json"));
      for (var header : parts.subList(4, parts.size())) {
        headers.put(header.split(": ", 2)[0], header.split(": ", 2)[1]);
      }
      var members = parts.get(2).replaceFirst("}$", ",").getBytes(StandardCharsets.UTF_8);
      var file = parts.get(3);
      var body = file.isEmpty() ? members : Files.readAllBytes(Path.of(file));
      var reply = new Reply(Integer.parseInt(parts.get(1)), headers, body);
      answers.add(new Answer(parts.get(0), !parts.get(2).isEmpty(), reply));
    }
  }

  /**
   * @param request the method, a space and the path
   */
  Reply to(String request, byte[] body) {
    var result = results.remove(request.substring(request.lastIndexOf('/') + 1));
    if (result != null) {
      return result;
    }
    for (var answer : answers) {
      if (request.startsWith(answer.request())) {
        var reply = answer.echo() ? echoed(answer.reply(), body) : answer.reply();
        return acknowledged ? acknowledge(reply) : reply;
      }
    }
    return new Reply(404, TEXT, new byte[0]);
  }

  private static Reply echoed(Reply begin, byte[] sent) {
    var own = begin.body().length;
    var whole = new byte[own + sent.length - 1];
    System.arraycopy(begin.body(), 0, whole, 0, own);
    System.arraycopy(sent, 1, whole, own, sent.length - 1);
    return new Reply(begin.status(), begin.headers(), whole);
  }

  private Reply acknowledge(Reply result) {
    var id = new UUID(0, requests.incrementAndGet()).toString();
    results.put(id, result);
    return new Reply(202, TEXT, id.getBytes(StandardCharsets.US_ASCII));
  }
}
