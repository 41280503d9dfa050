#!/usr/bin/env bash
# Watermill 1.5.1 (Go), the middlewares Retry and DelayOnError.
# Guess: with InitialInterval 30 ms and Multiplier 2 Retry waits 30, 60 and 120 ms. ShouldRetry decides and OnRetryHook
# observes; both are given the delay, and change none. DelayOnError with Multiplier 1.5 delays by 10, 15, 22.5 and
# 33.75 s.
# What happens: the middleware takes the delay that it passes to each function from the back-off, which moves on each
# time, and the wait is the next one after that. With a ShouldRetry that returns true the waits are 60, 240 and 960 ms,
# with OnRetryHook, too, 60, 480 and 3,840; the delays that both are given are not those. In DelayOnError the
# multiplier is made a whole number: 1.5 is 1, each delay is 10 s.
# Why it matters: a logging hook makes an outage of seconds one of minutes, and the log says otherwise. With 1.5, the
# usual multiplier of back-offs, a message that cannot be handled comes every 10 s for ever.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

cat > main.go <<'END'
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/ThreeDotsLabs/watermill/components/delay"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
)

var failure = errors.New("the database is away")

// waits returns the times between the calls of a handler that always fails, and their sum.
func waits(retry middleware.Retry) (between []time.Duration, sum time.Duration) {
	retry.MaxRetries = 3
	retry.InitialInterval = 30 * time.Millisecond
	retry.MaxInterval = time.Hour
	retry.Multiplier = 2
	var last time.Time
	handler := retry.Middleware(func(*message.Message) ([]*message.Message, error) {
		now := time.Now()
		if !last.IsZero() {
			between = append(between, now.Sub(last).Round(time.Millisecond))
			sum += now.Sub(last)
		}
		last = now
		return nil, failure
	})
	if _, err := handler(message.NewMessage("1", nil)); !errors.Is(err, failure) {
		panic(err)
	}
	return between, sum
}

func main() {
	plain, plainSum := waits(middleware.Retry{})
	fmt.Println("Retry waits", plain)

	var given []time.Duration
	always := func(retry middleware.RetryParams) bool {
		given = append(given, retry.Delay)
		return true
	}
	deciding, decidingSum := waits(middleware.Retry{ShouldRetry: always})
	fmt.Println("with ShouldRetry, always true,", deciding, "it is given", given)

	given = nil
	var logged []time.Duration
	log := func(_ int, wait time.Duration) { logged = append(logged, wait) }
	observed, observedSum := waits(middleware.Retry{ShouldRetry: always, OnRetryHook: log})
	fmt.Println("with OnRetryHook, too,", observed, "they are given", given, "and", logged)

	delaying := &middleware.DelayOnError{InitialInterval: 10 * time.Second, MaxInterval: time.Hour, Multiplier: 1.5}
	handler := delaying.Middleware(func(*message.Message) ([]*message.Message, error) { return nil, failure })
	order := message.NewMessage("1", nil)
	var delays []string
	for range 4 {
		_, _ = handler(order)
		delays = append(delays, order.Metadata.Get(delay.DelayedForKey))
	}
	fmt.Println("DelayOnError with Multiplier 1.5 delays by", delays)

	if decidingSum < 3*plainSum || observedSum < 2*decidingSum {
		fmt.Println("NO LONGER SO: a function that is given the delay changes the waits")
		os.Exit(1)
	}
	if !reflect.DeepEqual(delays, []string{"10s", "10s", "10s", "10s"}) {
		fmt.Println("NO LONGER SO: a multiplier of 1.5 is 1")
		os.Exit(1)
	}
}
END
run_go github.com/ThreeDotsLabs/watermill/message/router/middleware@v1.5.1 \
  github.com/ThreeDotsLabs/watermill/components/delay@v1.5.1
