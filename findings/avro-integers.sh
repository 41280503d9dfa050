#!/usr/bin/env bash
# Apache Avro: Java 1.12.0, avro 1.12.2 (Apache's Python package), fastavro 1.13.1.
# Guess: an integer that is written into a union of `long` and `double` is stored as a long, in whatever order they
# are.
# What happens: so it is with Java. fastavro takes the first of them, and Apache's Python package the last: with
# "double" first the one, with "long" first the other stores a floating-point number. 2^53 + 1 is read as 2^53,
# and with `float` 16,777,217 as 16,777,216.
# Why it matters: ids and times in nanoseconds are rounded without an error if Python is the writer, and kept if Java
# is. No order of the union is right for both of the Python libraries.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages fastavro==1.13.1 avro==1.12.2
libraries org.apache.avro:avro:1.12.0 org.slf4j:slf4j-nop:2.0.17

cat > Branch.java <<'END'
import java.util.List;
import org.apache.avro.*;
import org.apache.avro.generic.GenericData;

public class Branch extends Finding {
  public static void main(String[] arguments) {
    for (var union : List.of("[\"null\", \"double\", \"long\"]", "[\"null\", \"long\", \"double\"]")) {
      var schema = new Schema.Parser().parse(union);
      var branch = schema.getTypes().get(GenericData.get().resolveUnion(schema, 5L)).getName();
      System.out.println("Java, " + union + ": " + branch);
      expect(branch.equals("long"), "Java takes long");
    }
  }
}
END
run_java Branch

cat > write.py <<'END'
import io
import json
import sys

import avro.io
import avro.schema
import fastavro


def by_fastavro(schema, number):
    file = io.BytesIO()
    fastavro.schemaless_writer(file, schema, number)
    file.seek(0)
    return fastavro.schemaless_reader(file, schema, None)


def by_apache(schema, number):
    file = io.BytesIO()
    parsed = avro.schema.parse(json.dumps(schema))
    avro.io.DatumWriter(parsed).write(number, avro.io.BinaryEncoder(file))
    file.seek(0)
    return avro.io.DatumReader(parsed).read(avro.io.BinaryDecoder(file))


failed = False
for union, number, first, last in [
    (["null", "double", "long"], 2**53 + 1, 2.0**53, 2**53 + 1),
    (["null", "long", "double"], 2**53 + 1, 2**53 + 1, 2.0**53),
    (["null", "float", "long"], 2**24 + 1, 2.0**24, 2**24 + 1),
    (["null", "long", "float"], 2**24 + 1, 2**24 + 1, 2.0**24),
]:
    seen = by_fastavro(union, number), by_apache(union, number)
    print(f"{number} in {union}: fastavro reads {seen[0]!r}, avro {seen[1]!r}")
    if repr(seen) != repr((first, last)):
        failed = True
        print(f"NO LONGER SO: fastavro {first!r}, avro {last!r}")
sys.exit(failed)
END
packages/bin/python write.py
