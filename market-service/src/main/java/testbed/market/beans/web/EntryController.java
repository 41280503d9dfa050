package testbed.market.beans.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.function.ToLongFunction;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import testbed.market.beans.Entries;

/**
 * Entries of one table, which administrators change.
 *
 * @param <W> what is written
 * @param <S> what is shown
 */
abstract class EntryController<W, S> {

  /** The path of one entry: numbers that fit. */
  static final String ID = "/{id:\\d{1,18}}";

  private final Entries<?, W, S> entries;
  private final ToLongFunction<S> idOf;

  EntryController(Entries<?, W, S> entries, ToLongFunction<S> idOf) {
    this.entries = entries;
    this.idOf = idOf;
  }

  @GetMapping(ID)
  S get(@PathVariable long id) {
    return entries.get(id);
  }

  @PostMapping
  ResponseEntity<S> add(@Valid @RequestBody W wanted, HttpServletRequest request) {
    var added = entries.add(wanted);
    return ResponseEntity.created(
            URI.create("%s/%d".formatted(request.getRequestURI(), idOf.applyAsLong(added))))
        .body(added);
  }

  @PutMapping(ID)
  S change(@PathVariable long id, @Valid @RequestBody W wanted) {
    return entries.change(id, wanted);
  }

  @DeleteMapping(ID)
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void remove(@PathVariable long id) {
    entries.remove(id);
  }
}
