#!/usr/bin/env bash
# promtool 2.42 (Debian's package prometheus).
# Guess: a unit test that names an alert that no rule has is an error.
# What happens: it passes, if it expects no alert. So does a test whose series have a name that no rule reads, and one
# of an alert that fires, if the test names another.
# Why it matters: "this alert does not fire" is what keeps alerts quiet. When the alert or its metric is renamed such
# a test stays green and tests nothing.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

apt-get download -q prometheus > apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x prometheus_*.deb package
version=$(package/usr/bin/promtool --version 2>&1 | sed -n 's/.*version \([0-9.]*\).*/\1/p' | head -1)
echo "promtool $version"
[[ $version == 2.42.* ]] || { echo "NO LONGER SO: promtool is $version, not 2.42"; exit 1; }

cat > rules.yml <<'END'
groups:
  - name: shop
    rules:
      - alert: TooSlow
        expr: latency_seconds > 1
END

# verdict NAME SERIES TEST: whether a test of an alert passes, when the series is 5 all the time.
verdict() {
  cat > "$1.yml" <<END
rule_files: [rules.yml]
tests:
  - interval: 1m
    input_series: [{series: $2, values: 5x10}]
    alert_rule_test: [$3]
END
  if package/usr/bin/promtool test rules "$1.yml" > "$1.log" 2>&1; then echo passes; else echo fails; fi
}

failed=0
# expect VERDICT NAME SERIES TEST
expect() {
  local seen
  seen=$(verdict "$2" "$3" "$4")
  echo "$2: $seen"
  [ "$seen" = "$1" ] || { echo "NO LONGER SO: $2 $1"; failed=1; }
}
expect fails 'TooSlow fires, none is expected' latency_seconds '{eval_time: 5m, alertname: TooSlow}'
expect passes 'TooSlow fires, the test names TooSlw and expects none' latency_seconds \
  '{eval_time: 5m, alertname: TooSlw}'
expect passes 'no rule reads the series, none is expected' latency '{eval_time: 5m, alertname: TooSlow}'
expect fails 'the test names TooSlw and expects it' latency_seconds \
  '{eval_time: 5m, alertname: TooSlw, exp_alerts: [{}]}'
exit "$failed"
