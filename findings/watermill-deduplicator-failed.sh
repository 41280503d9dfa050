#!/usr/bin/env bash
# Watermill 1.5.1 (Go), the middleware Deduplicator.
# Guess: a message is a duplicate if one like it was handled. One whose handler failed is not acknowledged, comes again
# and is handled then, or is tried again by the middleware Retry.
# What happens: its key is stored before the handler is called, and stays when the handler fails. The second delivery
# is a duplicate: the handler is not called, the message is acknowledged, and nothing is logged. With Retry around the
# Deduplicator the first retry is such a success, and a poison queue receives nothing. Only with Retry inside is the
# handler called again.
# Why it matters: who adds the Deduplicator because messages may come twice loses each message that fails once: a
# database that is away for a second costs all messages of that second.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

cat > main.go <<'END'
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
)

const orders = 3

// handled sends orders whose handler fails once for each; returns the calls of the handler, and how many succeeded.
func handled(middlewares ...message.HandlerMiddleware) (calls, succeeded int) {
	logger := watermill.NopLogger{}
	// With this setting, Publish returns when the message has been acknowledged.
	channel := gochannel.NewGoChannel(gochannel.Config{BlockPublishUntilSubscriberAck: true}, logger)
	router, err := message.NewRouter(message.RouterConfig{}, logger)
	if err != nil {
		panic(err)
	}
	router.AddMiddleware(middlewares...)
	failed := map[string]bool{}
	router.AddNoPublisherHandler("orders", "orders", channel, func(order *message.Message) error {
		calls++
		if !failed[order.UUID] {
			failed[order.UUID] = true
			return errors.New("the database is away")
		}
		succeeded++
		return nil
	})
	go func() {
		if err := router.Run(context.Background()); err != nil {
			panic(err)
		}
	}()
	<-router.Running()
	for number := range orders {
		order := message.NewMessage(watermill.NewUUID(), fmt.Appendf(nil, "order %d", number))
		if err := channel.Publish("orders", order); err != nil {
			panic(err)
		}
	}
	if err := router.Close(); err != nil {
		panic(err)
	}
	return calls, succeeded
}

func main() {
	deduplicator := func() message.HandlerMiddleware {
		return (&middleware.Deduplicator{KeyFactory: middleware.NewMessageHasherSHA256(1 << 20), Timeout: time.Second}).Middleware
	}
	retry := middleware.Retry{MaxRetries: 3, InitialInterval: time.Millisecond}.Middleware
	asStated := true
	check := func(name string, expectedCalls, expected int, middlewares ...message.HandlerMiddleware) {
		calls, succeeded := handled(middlewares...)
		fmt.Printf("%s: %d messages acknowledged, %d calls, %d succeeded\n", name, orders, calls, succeeded)
		asStated = asStated && calls == expectedCalls && succeeded == expected
	}
	check("no middleware", 2*orders, orders)
	check("Deduplicator", orders, 0, deduplicator())
	check("Retry around Deduplicator", orders, 0, retry, deduplicator())
	check("Deduplicator around Retry", 2*orders, orders, deduplicator(), retry)
	if !asStated {
		fmt.Println("NO LONGER SO: a message whose handler failed counts as handled")
		os.Exit(1)
	}
}
END
run_go github.com/ThreeDotsLabs/watermill/message/router/middleware@v1.5.1 \
  github.com/ThreeDotsLabs/watermill/pubsub/gochannel@v1.5.1
