#!/usr/bin/env bash
# gregjones/httpcache v0.0.0-20190611155906-901d90724c79 (Go), a cache for http.Client.
# Guess: PUT, POST and DELETE remove what is kept of the URL (RFC 9111, 4.4), and the next GET reads the service. A GET
# of a range changes nothing.
# What happens: the other way round. A client that has written still reads the old answer until its max-age, and one
# that has deleted reads what is gone. A GET with a Range header removes the kept answer. What is removed has the
# method in its key, "PUT http://...", where nothing is ever kept; the key of GET is the URL alone, with a range, too.
# Why it matters: a service that changes something and reads it back has its own old state, and may write it again.
# With another client for writes, or a service without max-age, it is not seen.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

cat > main.go <<'END'
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/gregjones/httpcache"
)

func main() {
	seats := "free"
	service := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		switch request.Method {
		case "GET":
			answer.Header().Set("Cache-Control", "max-age=60")
			http.ServeContent(answer, request, "", time.Time{}, strings.NewReader(seats))
		case "DELETE":
			seats = "gone"
		default:
			body, _ := io.ReadAll(request.Body)
			seats = string(body)
		}
	}))
	defer service.Close()
	client := httpcache.NewMemoryCacheTransport().Client()
	send := func(method, body, bytes string) string {
		request, err := http.NewRequest(method, service.URL, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		if bytes != "" {
			request.Header.Set("Range", "bytes="+bytes)
		}
		answer, err := client.Do(request)
		if err != nil {
			panic(err)
		}
		defer answer.Body.Close()
		read, err := io.ReadAll(answer.Body)
		if err != nil {
			panic(err)
		}
		return string(read)
	}

	asStated := send("GET", "", "") == "free"
	for _, method := range []string{"PUT", "POST", "DELETE"} {
		send(method, "sold", "")
		read := send("GET", "", "")
		fmt.Printf("after %s the service has %q, GET reads %q\n", method, seats, read)
		asStated = asStated && read == "free"
	}
	part := send("GET", "", "0-1")
	read := send("GET", "", "")
	fmt.Printf("after GET of two bytes, %q, GET reads %q\n", part, read)
	if !asStated || part != "go" || read != "gone" {
		fmt.Println("NO LONGER SO: a write keeps the kept answer, and a GET of a range removes it")
		os.Exit(1)
	}
}
END
run_go github.com/gregjones/httpcache@v0.0.0-20190611155906-901d90724c79
