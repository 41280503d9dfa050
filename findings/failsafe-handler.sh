#!/usr/bin/env bash
# failsafe-go 0.9.8, failsafehttp.NewHandler.
# Guess: a circuit breaker for http.Response whose condition is a status of 500 or above opens after three such answers,
# around a handler as in a client's RoundTripper. NewHandler answers 429 for an open breaker.
# What happens: around a handler it never opens. The handler's answer goes to the client alone: policies are given no
# response and no error, the condition is called with nil, and each 500 is recorded as a success. So it is for every
# policy that judges answers.
# Why it matters: the same breaker is right in the client and does nothing in the server, and its metrics say that all
# is well. Bulkheads, limiters and time-outs, which need no answer, work.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

cat > main.go <<'END'
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
)

type breaker = circuitbreaker.CircuitBreaker[*http.Response]

// broken is a service that answers each request with 500, and counts them.
func broken(calls *int) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		*calls++
		answer.WriteHeader(http.StatusInternalServerError)
	})
}

// opensAtThree makes a breaker that counts in responses how often its condition was given one.
func opensAtThree(responses *int) breaker {
	return circuitbreaker.NewBuilder[*http.Response]().
		HandleIf(func(response *http.Response, _ error) bool {
			if response != nil {
				*responses++
			}
			return response != nil && response.StatusCode >= 500
		}).
		WithFailureThreshold(3).
		WithDelay(time.Minute).
		Build()
}

// send sends ten requests.
func send(client *http.Client, url string) {
	for range 10 {
		if answer, err := client.Get(url); err == nil {
			answer.Body.Close()
		}
	}
}

func main() {
	var calls, responses int
	inClient := opensAtThree(&responses)
	service := httptest.NewServer(broken(&calls))
	send(&http.Client{Transport: failsafehttp.NewRoundTripper(nil, inClient)}, service.URL)
	service.Close()
	fmt.Printf("client: %d of 10 requests reach the broken service, the condition had %d responses, %v, %d failures\n",
		calls, responses, inClient.State(), inClient.Metrics().Failures())
	asStated := calls == 3 && responses == 3 && inClient.IsOpen()

	calls, responses = 0, 0
	inServer := opensAtThree(&responses)
	service = httptest.NewServer(failsafehttp.NewHandler(broken(&calls), inServer))
	send(http.DefaultClient, service.URL)
	service.Close()
	fmt.Printf("server: %d of 10 requests reach the broken service, the condition had %d responses, %v, %d failures\n",
		calls, responses, inServer.State(), inServer.Metrics().Failures())
	if !asStated || calls != 10 || responses != 0 || !inServer.IsClosed() {
		fmt.Println("NO LONGER SO: the breaker opens in the client and not in the server")
		os.Exit(1)
	}
}
END
run_go github.com/failsafe-go/failsafe-go/failsafehttp@v0.9.8 \
  github.com/failsafe-go/failsafe-go/circuitbreaker@v0.9.8
