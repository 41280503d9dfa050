package testbed.poster.web;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.poster.PosterSettings;
import testbed.poster.image.Step;

/** Lists the steps from this service on, which shows whether every service is present. */
@RestController
class StepsController {

  private final PosterSettings settings;
  private final Neighbours neighbours;

  StepsController(PosterSettings settings, Neighbours neighbours) {
    this.settings = settings;
    this.neighbours = neighbours;
  }

  @GetMapping(PosterApi.STEPS_TO_DO)
  List<String> steps() {
    return Stream.concat(settings.steps().stream().map(Step::word), neighbours.steps().stream())
        .toList();
  }
}
