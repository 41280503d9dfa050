#!/usr/bin/env bash
# msgpackr 2.1.4 and cbor-x 1.6.9 (JavaScript) as the writers; msgpack 1.2.4 and cbor2 6.3.0 (Python), and
# vmihailenco/msgpack 5.4.1 and fxamacker/cbor 2.10.0 (Go) as the readers.
# Guess: a whole number is written as an integer, whatever its size; "non-integer numbers" are floats by default.
# What happens: from 2^32 on it is a double. A time in milliseconds is a float in Python, and an error in
# Go where the field is an int64; a time in seconds is an integer. @msgpack/msgpack 3.1.3 writes integers of 64 bits.
# Why it matters: a counter of bytes or microseconds is read well until it passes 4,294,967,295 (of microseconds, after
# 72 minutes); then the same reader refuses the same field.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent msgpackr@2.1.4 cbor-x@1.6.9 @msgpack/msgpack@3.1.3
python_packages msgpack==1.2.4 cbor2==6.3.0

cat > write.js <<'END'
const { writeFileSync } = require("fs");

const writers = {
  msgpackr: require("msgpackr").pack,
  "cbor-x": require("cbor-x").encode,
  "@msgpack": require("@msgpack/msgpack").encode,
};
for (const [name, write] of Object.entries(writers)) {
  for (const number of [4294967295, 4294967296, 1764475815250]) {
    writeFileSync(`${name.replace("@", "")}-${number}`, write(number));
  }
}
END
node write.js

cat > read.py <<'END'
import sys
from pathlib import Path

import cbor2
import msgpack

failed = False
for writer, read, large in [
    ("msgpackr", msgpack.unpackb, float),
    ("cbor-x", cbor2.loads, float),
    ("msgpack", msgpack.unpackb, int),
]:
    for number in (4294967295, 4294967296, 1764475815250):
        value = read(Path(f"{writer}-{number}").read_bytes())
        print(f"Python, written by {writer}: {value}")
        if value != number or type(value) is not (large if number >= 2**32 else int):
            failed = True
            print(f"NO LONGER SO: {number} as {large.__name__} from 2^32 on")
sys.exit(failed)
END
packages/bin/python read.py

go mod init finding 2> go.log
go get github.com/vmihailenco/msgpack/v5@v5.4.1 github.com/fxamacker/cbor/v2@v2.10.0 2>> go.log || { cat go.log; exit 1; }
cat > read.go <<'END'
package main

import (
	"fmt"
	"os"

	"github.com/fxamacker/cbor/v2"
	"github.com/vmihailenco/msgpack/v5"
)

func main() {
	for _, name := range []string{"msgpackr", "cbor-x", "msgpack"} {
		read := msgpack.Unmarshal
		if name == "cbor-x" {
			read = cbor.Unmarshal
		}
		for _, number := range []int64{4294967295, 4294967296, 1764475815250} {
			bytes, err := os.ReadFile(fmt.Sprintf("%s-%d", name, number))
			if err != nil {
				panic(err)
			}
			var value int64
			err = read(bytes, &value)
			fmt.Printf("Go, written by %s, %d: %d, error: %v\n", name, number, value, err)
			refused := name != "msgpack" && number > 4294967295
			if refused != (err != nil) || (!refused && value != number) {
				fmt.Println("NO LONGER SO: Go refuses what was written as a double")
				os.Exit(1)
			}
		}
	}
}
END
go run read.go
