package testbed.support.web;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.ProblemType;
import testbed.support.problem.Problems;

/**
 * Answers what the container refuses or what fails outside of any controller, in place of the
 * framework's own page.
 */
@RestController
class ErrorPage implements ErrorController {

  private static final String PATH = "/error";

  @RequestMapping(PATH)
  ResponseEntity<ProblemDetail> problem(HttpServletRequest request) {
    var problem =
        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer status
            ? Problems.ofStatus(HttpStatusCode.valueOf(status))
            // Nobody was sent here; somebody asked for this very path.
            : Problems.of(ProblemType.NOT_FOUND, "Nothing is at %s.".formatted(PATH));
    return ResponseEntity.status(problem.getStatus())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }
}
