package testbed.cinema.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.RestController;

/** A controller of the HTTP edge, wired only when the cinema's transport is HTTP. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@RestController
@ConditionalOnProperty(name = "cinema.transport", havingValue = "http")
@interface HttpEdge {}
