package testbed.gateway.breaker;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings beside the library's ({@code resilience4j.circuitbreaker}, {@code
 * resilience4j.timelimiter}).
 *
 * @param countServerErrors whether a 500 of the service counts as a failure; its body reaches the
 *     client unchanged all the same
 * @param retryUnreachable whether a request goes to another instance when one cannot be reached;
 *     the library's own filter does so for GET only
 * @param retryReset whether a GET goes to another instance when its connection is lost before the
 *     answer begins; any other request counts as a failure then only if there is no other instance.
 *     Of our own filter only
 */
@ConfigurationProperties("gateway.breaker")
record BreakerSettings(boolean countServerErrors, boolean retryUnreachable, boolean retryReset) {}
