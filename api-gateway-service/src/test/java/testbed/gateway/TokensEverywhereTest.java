package testbed.gateway;

import java.util.List;
import org.springframework.test.context.TestPropertySource;

/** Services behind the gateway check tokens as well. */
@TestPropertySource(properties = "market.tokens=everywhere")
class TokensEverywhereTest extends TokensTest {

  @Override
  List<String> passedOn(String token) {
    return List.of("Bearer " + token);
  }
}
