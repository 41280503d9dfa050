#!/usr/bin/env bash
# amqp091-go 1.16.0 (AMQP client of the RabbitMQ team for Go), with Broker-J 10.1.0 and amqp-client 5.30.0 (Java).
# Guess: an `int` of a header, 64 bits here, arrives as it is, or is refused by Table.Validate, which publishing calls
# first and which refuses uint and uint64.
# What happens: its upper 32 bits are dropped, in silence: the time 1764475815250 arrives as -755743406, 5 GiB as 1 GiB,
# 8 GiB as 0. An int64 of the same value arrives as it is. The encoder writes an int as AMQP's 32-bit integer; the
# comment at Table asks to be specific about precision and lists int among the valid types.
# Why it matters: `"sent": int(...)` with a time in ms, a number of bytes or an id above 2^31 is another number for the
# consumer. Arguments of a queue go the same way: "x-max-length-bytes": 8 << 30 is a limit of 0 bytes.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.30.0
go mod init finding 2> go.log
go get github.com/rabbitmq/amqp091-go@v1.16.0 2>> go.log || { cat go.log; exit 1; }

cat > send.go <<'END'
package main

import (
	"context"
	"fmt"
	"os"

	amqp "github.com/rabbitmq/amqp091-go"
)

func main() {
	headers := amqp.Table{
		"time":    1764475815250,
		"5 GiB":   5 << 30,
		"8 GiB":   8 << 30,
		"small":   7,
		"time 64": int64(1764475815250),
	}
	fmt.Println("amqp091-go sends", headers, "Validate:", headers.Validate())
	fmt.Println("Validate of a uint64:", amqp.Table{"number": uint64(7)}.Validate())
	connection, err := amqp.Dial("amqp://guest:guest@127.0.0.1:" + os.Args[1] + "/")
	if err != nil {
		panic(err)
	}
	defer connection.Close()
	channel, err := connection.Channel()
	if err != nil {
		panic(err)
	}
	err = channel.PublishWithContext(context.Background(), "", "numbers", false, false, amqp.Publishing{Headers: headers})
	if err != nil || headers.Validate() != nil || (amqp.Table{"number": uint64(7)}).Validate() == nil {
		fmt.Println("NO LONGER SO: an int of more than 32 bits is valid, a uint64 is not")
		os.Exit(1)
	}
}
END
go build -o send send.go

cat > IntHeaders.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class IntHeaders extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("numbers", false, false, false, null);
    var port = String.valueOf(channel.getConnection().getPort());
    expect(new ProcessBuilder("./send", port).inheritIO().start().waitFor() == 0, "see above");
    var received = new TreeMap<>(channel.basicGet("numbers", true).getProps().getHeaders());
    System.out.println("amqp-client received " + received);
    expect(
        received.equals(
            Map.of(
                "time", (int) 1764475815250L,
                "5 GiB", 1 << 30,
                "8 GiB", 0,
                "small", 7,
                "time 64", 1764475815250L)),
        "an int is cut to 32 bits, an int64 is not");
    System.exit(0);
  }
}
END
run_java IntHeaders BrokerJ
