package testbed.bare;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** One controller of Spring MVC on virtual threads. */
@EnableAutoConfiguration
@RestController
class SpringServer {

  private static final Map<String, Object> SETTINGS =
      Map.of(
          "server.address", "127.0.0.1",
          "server.port", "0",
          "server.tomcat.max-keep-alive-requests", "-1",
          "spring.threads.virtual.enabled", "true",
          "spring.main.banner-mode", "off",
          "logging.level.root", "warn");

  private final Answers answers;

  SpringServer(Answers answers) {
    this.answers = answers;
  }

  /** Returns the port, of the loopback address. */
  static int start(Answers answers) {
    var application = new SpringApplication(SpringServer.class);
    application.setDefaultProperties(SETTINGS);
    application.addInitializers(
        context ->
            ((GenericApplicationContext) context).registerBean(Answers.class, () -> answers));
    var environment = application.run().getEnvironment();
    return environment.getRequiredProperty("local.server.port", Integer.class);
  }

  @RequestMapping("/**")
  ResponseEntity<byte[]> answer(
      HttpServletRequest request, @RequestBody(required = false) byte @Nullable [] body) {
    var asked = request.getMethod() + " " + request.getRequestURI();
    var reply = answers.to(asked, body == null ? new byte[0] : body);
    var headers = new HttpHeaders();
    reply.headers().forEach(headers::set);
    return ResponseEntity.status(reply.status()).headers(headers).body(reply.body());
  }
}
