package testbed.token;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.ProblemType;
import testbed.support.problem.Problems;
import testbed.tier.token.AccessTokens;

/**
 * Takes changes of the market's clients. Each may be sent twice, and in any order: 409 if the name
 * is of a client of the settings, or a later change was made.
 */
@RestController
@ConditionalOnProperty(RegistrationController.ACCOUNT)
@RequestMapping("/internal/clients/{name:" + AccessTokens.NAME + "}")
class RegistrationController {

  /** The setting without which there is none of it. */
  static final String ACCOUNT = "token.account";

  private final StoredClients clients;

  RegistrationController(StoredClients clients) {
    this.clients = clients;
  }

  @PutMapping
  ResponseEntity<Void> put(@PathVariable String name, @Valid @RequestBody Registration client) {
    return answer(
        clients.put(name, client.version(), client.secret(), client.scopes(), client.enabled()));
  }

  @DeleteMapping
  ResponseEntity<Void> remove(@PathVariable String name, @RequestParam long version) {
    return answer(clients.remove(name, version));
  }

  private static ResponseEntity<Void> answer(boolean done) {
    return ResponseEntity.status(done ? HttpStatus.NO_CONTENT : HttpStatus.CONFLICT).build();
  }

  @ExceptionHandler
  ResponseEntity<ProblemDetail> away(DataAccessException away) {
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .body(Problems.of(ProblemType.UNAVAILABLE, "The database does not answer in time."));
  }

  /**
   * A client, as it is from this version on.
   *
   * @param secret of a new client; without it the secret stays
   */
  record Registration(
      long version,
      @Nullable String secret,
      @NotEmpty Set<@NotNull @Pattern(regexp = "basic|premium") String> scopes,
      boolean enabled) {

    /** Without the secret, for logs. */
    @Override
    public String toString() {
      return "version " + version;
    }
  }
}
