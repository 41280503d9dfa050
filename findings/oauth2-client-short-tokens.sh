#!/usr/bin/env bash
# Spring Security 7.1.2, OAuth 2.0 client with the client_credentials grant.
# Guess: a token is asked for once, and again when it is about to expire; threads that need it at the same moment
# wait for one request.
# What happens: a token counts as expired 60 s before it is, so that one that lives for 60 s or less is never used
# twice: each call asks for another. Threads do not wait for each other: 20 that start at once ask 20 times, with a
# token of an hour too.
# Why it matters: short tokens are the ones that need no revocation, and the token server is then asked as often as
# the service. Each hour, and after each start, it is asked by all requests in flight, when it is slow all the more.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries org.springframework.security:spring-security-oauth2-client:7.1.2 commons-logging:commons-logging:1.3.5 \
  tools.jackson.core:jackson-databind:3.2.1

cat > ShortTokens.java <<'END'
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.security.oauth2.client.*;
import org.springframework.security.oauth2.client.registration.*;
import org.springframework.security.oauth2.core.*;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;

public class ShortTokens extends Finding {

  /** How many tokens calls ask for, each of which lives for some seconds and takes half a second to get. */
  static int tokens(int calls, int threads, int seconds) throws Exception {
    var asked = new AtomicInteger();
    var server =
        ClientRegistration.withRegistrationId("server")
            .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
            .clientId("service")
            .tokenUri("http://127.0.0.1/token")
            .build();
    var servers = new InMemoryClientRegistrationRepository(server);
    var kept = new InMemoryOAuth2AuthorizedClientService(servers);
    var manager = new AuthorizedClientServiceOAuth2AuthorizedClientManager(servers, kept);
    var provider = new ClientCredentialsOAuth2AuthorizedClientProvider();
    provider.setAccessTokenResponseClient(
        request -> {
          var token = "token" + asked.incrementAndGet();
          try {
            Thread.sleep(500);
          } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
          }
          return OAuth2AccessTokenResponse.withToken(token)
              .tokenType(OAuth2AccessToken.TokenType.BEARER)
              .expiresIn(seconds)
              .build();
        });
    manager.setAuthorizedClientProvider(provider);
    var start = new CyclicBarrier(threads);
    var executor = Executors.newFixedThreadPool(threads);
    Callable<Void> caller =
        () -> {
          start.await();
          for (int call = 0; call < calls / threads; call++) {
            manager.authorize(OAuth2AuthorizeRequest.withClientRegistrationId("server").principal("service").build());
          }
          return null;
        };
    for (var called : executor.invokeAll(Collections.nCopies(threads, caller))) {
      called.get();
    }
    executor.shutdown();
    return asked.get();
  }

  public static void main(String[] arguments) throws Exception {
    var minute = tokens(10, 1, 60);
    var hour = tokens(10, 1, 3600);
    var together = tokens(20, 20, 3600);
    System.out.printf("10 calls one by one: %d tokens that live for 60 s, %d for an hour%n", minute, hour);
    System.out.printf("20 calls at once: %d tokens that live for an hour%n", together);
    expect(minute == 10, "a token of 60 s is never used twice");
    expect(hour == 1, "a token of an hour is");
    expect(together > 10, "threads do not wait for each other");
  }
}
END
run_java ShortTokens
