#!/usr/bin/env bash
# prometheus_client 0.26.0 (Python), its parser of the text format.
# Guess: a parser gives each sample the name that it has in the text.
# What happens: the sample `orders` of a counter comes out as `orders_total`, as does `orders_total`; a counter's family
# is `orders` either way. A gauge or an untyped sample keeps its name.
# Why it matters: a check that reads a service's /metrics and looks for `orders`, which curl and Prometheus show, finds
# nothing, and takes it for 0. Whether it does depends on the line `# TYPE`.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages prometheus_client==0.26.0

cat > parse.py <<'END'
import sys

from prometheus_client.parser import text_string_to_metric_families

failed = False
for name, kind, family, sample in [
    ("orders", "counter", "orders", "orders_total"),
    ("orders_total", "counter", "orders", "orders_total"),
    ("orders", "gauge", "orders", "orders"),
    ("orders", "untyped", "orders", "orders"),
]:
    [parsed] = text_string_to_metric_families(f"# TYPE {name} {kind}\n{name} 7\n")
    seen = parsed.name, parsed.samples[0].name
    print(f"{kind} {name}: family {seen[0]}, sample {seen[1]}")
    if seen != (family, sample):
        failed = True
        print(f"NO LONGER SO: family {family}, sample {sample}")
sys.exit(failed)
END
packages/bin/python parse.py
