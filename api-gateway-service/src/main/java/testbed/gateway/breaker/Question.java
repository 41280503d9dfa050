package testbed.gateway.breaker;

import org.springframework.http.server.reactive.ServerHttpRequest;
import testbed.support.deadline.Deadline;

/**
 * The request to a service.
 *
 * @param body of the request; empty if it has none
 * @param deadline of the answer's beginning
 */
record Question(ServerHttpRequest request, byte[] body, Deadline deadline) {}
