#!/usr/bin/env bash
# Taurus (bzt) 1.17.2, its passfail module, and results of 1,000 requests: 950 of 10 ms, 50 of 3 s. p95 is 10 ms, p96
# and all above 3 s.
# Guess: the criterion "p98>1s" fails the run (exit code 3), as "p99>1s" does. If it cannot, that is an error in the
# configuration, as for an unknown subject.
# What happens: the run passes, with exit code 0 and nothing printed of it. Only p0, 50, 90, 95, 99, 99.9 and 100 are
# computed (`percentiles` of the module `consolidator`, another section); any other is 0 for a criterion.
# Why it matters: a criterion of p75, p98 or p99.5 never fails: the gate of a pipeline that is always open.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages bzt==1.17.2

python3 - > results.jtl <<'END'
print("timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,grpThreads,allThreads,Latency,"
      "Connect")
for i in range(1000):
    print(f"{1700000000000 + 10 * i},{3000 if i % 20 == 0 else 10},home,200,OK,users 1-1,true,100,1,1,5,0")
END

# criterion TEXT: evaluates the results with this criterion; the exit code is $code.
criterion() {
  cat > plan.yml <<PLAN
settings: {check-updates: false}
scenarios: {loaded: {data-file: $folder/results.jtl}}
execution: [{executor: external-results-loader, scenario: loaded, results-timeout: 2s}]
reporting: [{module: passfail, criteria: ["$1"]}]
PLAN
  code=0
  packages/bin/bzt -o settings.artifacts-dir="$folder/artifacts" plan.yml > report 2>&1 || code=$?
  grep -q 'Samples count: 1000' report || { cat report; exit 1; }
  echo "$1: exit code $code"
}

criterion 'p99>1s'
[[ $code == 3 ]] || { echo "NO LONGER SO: p99 does not fail the run"; exit 1; }
criterion 'p98>1s'
[[ $code == 0 ]] || { echo "NO LONGER SO: p98 fails the run"; exit 1; }
criterion 'p98<1s'
[[ $code == 3 ]] || { echo "NO LONGER SO: p98 is not 0"; exit 1; }
