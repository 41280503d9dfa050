package testbed.poster.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;

/** The operation that every service has, whatever its place. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@RequestMapping(
    method = RequestMethod.POST,
    path = PosterApi.POSTERS,
    consumes = {"image/jpeg", "image/png", "image/x-raw"},
    produces = {"image/jpeg", "image/png", "image/x-raw"})
@interface TakesPosters {}
