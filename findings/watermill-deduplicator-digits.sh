#!/usr/bin/env bash
# Watermill 1.5.1 (Go), the middleware Deduplicator with its default key.
# Guess: the default key is a fast checksum of 32 bits, so that two different messages have the same key once in some
# billion pairs: of 1,000 orders with different numbers none is dropped. SHA-256 is for those who want certainty.
# What happens: the checksum is Adler-32, two sums of the bytes, which the digits of a short number hardly change: 1020
# and 1101 are the same, as one digit more, two less in the next place and one more in the place after leave both sums.
# Of the orders 1000 to 1999 352 are handled, of 100000 to 199999 1,666. The others are acknowledged, and nothing is
# logged. With SHA-256 all are handled. The length of the message makes no difference.
# Why it matters: two thirds of different orders, seats or amounts of the same minute are lost. Tests send a few
# messages with texts that differ more.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

cat > main.go <<'END'
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
)

// handled counts how many of the orders with these numbers reach the handler.
func handled(key middleware.MessageHasher, from, to int) (count int) {
	deduplicator := &middleware.Deduplicator{KeyFactory: key, Timeout: time.Second}
	handler := deduplicator.Middleware(func(*message.Message) ([]*message.Message, error) {
		count++
		return nil, nil
	})
	for number := from; number < to; number++ {
		payload := fmt.Appendf(nil, `{"order": %d, "customer": "jane@example.com", "total": "19.90"}`, number)
		if _, err := handler(message.NewMessage(fmt.Sprint(number), payload)); err != nil {
			panic(err)
		}
	}
	return count
}

func main() {
	asStated := true
	check := func(name string, key middleware.MessageHasher, from, to, expected int) {
		count := handled(key, from, to)
		fmt.Printf("%s: of the orders %d to %d, all different, %d are handled\n", name, from, to-1, count)
		asStated = asStated && count == expected
	}
	check("default key", nil, 1_000, 2_000, 352)
	check("default key", nil, 100_000, 200_000, 1_666)
	check("SHA-256", middleware.NewMessageHasherSHA256(1<<20), 1_000, 2_000, 1_000)
	if !asStated {
		fmt.Println("NO LONGER SO: different orders have the same key by default")
		os.Exit(1)
	}
}
END
run_go github.com/ThreeDotsLabs/watermill/message/router/middleware@v1.5.1
