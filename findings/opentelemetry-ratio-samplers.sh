#!/usr/bin/env bash
# OpenTelemetry SDKs: Java 1.54.1, Python 1.45.2, JavaScript 2.12.1 (sdk-trace-base).
# Guess: TraceIdRatioBased decides by the trace's id so that services decide alike: with 0.25 in each of them
# a quarter of the traces is kept, and those are whole.
# What happens: each keeps a quarter, but not the same one. Python reads the last 64 bits as a number, Java as one with
# a sign, which it takes away, JavaScript combines the four words of the id by XOR. Java and Python agree on half
# of what they keep, JavaScript with either of them by chance alone. All three keep 3 % of the traces.
# Why it matters: where each service samples for itself (no ParentBased, or a gateway that does not hand `traceparent`
# on), most traces of a mixed system have holes, as if services had not been called.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages opentelemetry-sdk==1.45.2
npm install --no-audit --no-fund --silent @opentelemetry/api@1.9.0 @opentelemetry/sdk-trace-base@2.12.1
libraries io.opentelemetry:opentelemetry-sdk-trace:1.54.1

python3 - <<'END'
import random

random.seed(7)
with open("ids", "w") as file:
    file.writelines(f"{random.getrandbits(128):032x}\n" for _ in range(10_000))
END

cat > decide.py <<'END'
from opentelemetry.sdk.trace.sampling import Decision, TraceIdRatioBased

sampler = TraceIdRatioBased(0.25)
with open("ids") as ids, open("python", "w") as kept:
    for line in ids:
        if sampler.should_sample(None, int(line, 16), "order").decision == Decision.RECORD_AND_SAMPLE:
            kept.write(line)
END
packages/bin/python decide.py

cat > decide.js <<'END'
const { readFileSync, writeFileSync } = require("fs");
const { SamplingDecision, TraceIdRatioBasedSampler } = require("@opentelemetry/sdk-trace-base");

const sampler = new TraceIdRatioBasedSampler(0.25);
const sampled = (id) => sampler.shouldSample({}, id).decision === SamplingDecision.RECORD_AND_SAMPLED;
const ids = readFileSync("ids", "utf8").trim().split("\n");
writeFileSync("javascript", ids.filter(sampled).map((id) => id + "\n").join(""));
END
node decide.js

cat > Decide.java <<'END'
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.*;
import java.nio.file.*;
import java.util.List;

public class Decide {
  public static void main(String[] arguments) throws Exception {
    var sampler = Sampler.traceIdRatioBased(0.25);
    var kept =
        Files.readAllLines(Path.of("ids")).stream()
            .filter(
                id ->
                    sampler
                            .shouldSample(
                                Context.root(), id, "order", SpanKind.SERVER, Attributes.empty(), List.of())
                            .getDecision()
                        == SamplingDecision.RECORD_AND_SAMPLE)
            .toList();
    Files.write(Path.of("java"), kept);
  }
}
END
run_java Decide

python3 - <<'END'
import sys

kept = {}
for name in ("java", "python", "javascript"):
    with open(name) as file:
        kept[name] = set(file.read().split())
shares = {name: len(ids) / 10_000 for name, ids in kept.items()}
shares["java and python"] = len(kept["java"] & kept["python"]) / 10_000
shares["java and javascript"] = len(kept["java"] & kept["javascript"]) / 10_000
shares["python and javascript"] = len(kept["python"] & kept["javascript"]) / 10_000
shares["all three"] = len(kept["java"] & kept["python"] & kept["javascript"]) / 10_000
for names, share in shares.items():
    print(f"kept by {names}: {100 * share:.1f} % of 10,000 traces")
expected = dict(zip(shares, [0.25, 0.25, 0.25, 0.125, 0.0625, 0.0625, 0.031], strict=True))
wrong = [names for names, share in shares.items() if abs(share - expected[names]) > 0.015]
if wrong:
    sys.exit(f"NO LONGER SO: the share kept by {', '.join(wrong)}")
END
