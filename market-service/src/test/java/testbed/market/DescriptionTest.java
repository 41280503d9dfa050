package testbed.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.yaml.snakeyaml.Yaml;

/** The OpenAPI document has every operation, and no other. */
class DescriptionTest {

  @Test
  void hasEveryOperation() throws Exception {
    var described = new ArrayList<String>();
    try (var document = new ClassPathResource("static/openapi.yaml").getInputStream()) {
      Map<String, Map<String, Map<String, ?>>> content = new Yaml().load(document);
      content
          .get("paths")
          .forEach(
              (path, operations) ->
                  operations.keySet().stream()
                      .filter(key -> !key.equals("parameters"))
                      .forEach(
                          method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path)));
    }
    try (var market = Market.on(Postgres.database())) {
      assertThat(operations(market)).containsExactlyInAnyOrderElementsOf(described);
    }
  }

  private static List<String> operations(Market market) {
    return market.bean(RequestMappingHandlerMapping.class).getHandlerMethods().keySet().stream()
        .flatMap(
            mapping ->
                mapping.getPatternValues().stream()
                    .filter(path -> path.startsWith("/api/"))
                    .flatMap(
                        path ->
                            mapping.getMethodsCondition().getMethods().stream()
                                .map(method -> method + " " + path.replaceAll(":[^/]+", "}"))))
        .toList();
  }
}
