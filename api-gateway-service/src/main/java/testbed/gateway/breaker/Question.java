package testbed.gateway.breaker;

import org.springframework.http.server.reactive.ServerHttpRequest;
import testbed.support.deadline.Deadline;

/**
 * What a service is asked.
 *
 * @param body of the request; empty if it has none
 * @param deadline of the answer's beginning
 */
record Question(ServerHttpRequest request, byte[] body, Deadline deadline) {}
