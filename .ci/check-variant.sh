#!/usr/bin/env bash
# check-variant.sh SYSTEM [PORT-OFFSET]: brings a system up in containers of the local images and checks that it is
# ready, measured, and right under a short load of its plans. sync, async, feed-* and market-* also by their contract
# (market-keycloak by that of tokens; its image: local-images.sh keycloak), sync and async when a cinema stops and starts
# again, feed-nginx and feed-varnish when the source of rates refuses.
# The offset is added to every published port: systems can be checked side by side.
# TESTBED_ENV_FILE names another file in place of local.env. With STOPS=1 it also looks whether the dashboards
# tell what stops (stops.py). At its end it deletes the system's volumes.
set -euo pipefail
# If CHECKS is set, the caller prints the summary.
counted="${CHECKS:-}"
# shellcheck source=.ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

variant="${1:?one of systems}"
offset="${2:-0}"
threads=10
loops=50
# Prometheus has a rate only of what grew between two scrapes. So the users start one after another for longer
# than two intervals, however fast the machine is.
ramp=12
case "$variant" in
  # It refuses a second user while it builds.
  ticket-direct) workloads=(ticket) threads=1 loops=1000 ;;
  ticket-*) workloads=(ticket) ;;
  poster-*) workloads=(poster720) loops=30 ;;
  cinema-*) workloads=(reserve) ;;
  feed*) workloads=(rate) ;;
  market-*) workloads=(countries regions page details order) ;;
  *) workloads=(list reserve) ;;
esac
sells_movies() { [ "${workloads[0]}" = list ]; }

cd "$ROOT"
set -a
# shellcheck source=.env
. ./.env
# shellcheck source=.ci/local.env
. "${TESTBED_ENV_FILE:-.ci/local.env}"
for port in "${!PORT_@}"; do declare "$port=$((${!port} + offset))"; done
set +a
# The contract has drills, and a source of rates that refuses nobody. The market's contract asks without accounts.
export CINEMA_DRILLS=true FEED_FRESH=2s FEED_SOURCE_MEAN=50ms FEED_SOURCE_DEVIATION=0ms FEED_SOURCE_REFUSED=0
case "$variant" in market-*) export ACCESS_CONTROL=off ;; esac
case "$variant" in market-keycloak) export MARKET_TOKENS=everywhere MARKET_LIMIT=local ;; esac
# For so few operations optimised code is not worth its CPU time, of which a start takes less than half without.
# Posters are worth it.
quick=-XX:TieredStopAtLevel=1
case "$variant" in poster-*) ;; *) export JAVA_OPTS="${JAVA_OPTS:-} $quick" ;; esac
# What the dashboards tell of stops has to do with the limits that ship.
[ -n "${STOPS:-}" ] || export JAVA_OPTS="${JAVA_OPTS:-} $(grep '^-D' harness/tests/contract/patient.jvm | tr '\n' ' ')"
export JVM_ARGS="${JVM_ARGS:-} $quick"
results=$(mktemp -d)
# Where the exporter finds what JMeter writes: nothing of another system.
export LIVE="$ROOT/results/check-$variant"
mkdir -p "$LIVE"

compose() {
  docker compose --progress quiet --file "$(compose_file "$variant")" --file .ci/compose.alone.yml "$@"
}
finish() {
  # Killed: nothing is checked afterwards.
  compose down --timeout 0 --volumes --remove-orphans || true
  rm -rf "$results" "$LIVE"
  [ -n "$counted" ] || rm -f "$CHECKS" "$CHECKS.failed"
}
trap finish EXIT

answers() { contract "http://localhost:$PORT_FRONT" "$variant" "$@"; }
probe() { python3 .ci/probe.py "$@"; }
eventually() { poll "$1" probe "${@:2}" 2>"$results/why" || { tail -n 1 "$results/why" >&2; return 1; }; }
up() { compose up --detach --wait || { compose ps --all; compose logs --tail 40; return 1; }; }
all_healthy() {
  local states
  states=$(compose ps --all --format '{{.Service}} {{.Health}}')
  [ -n "$states" ] && ! grep -v ' healthy$' <<<"$states"
}

# open_to SERVICE HOST PORT: whether a connection from the service's container is taken.
open_to() { compose exec -T "$1" bash -c "exec 3<>/dev/tcp/$2/$3" 2>/dev/null; }
database_is_its_services_own() { open_to beans-service postgresql 5432 && ! open_to api-gateway-service postgresql 5432; }

# The token that the harness would bring, for all loads.
get_token() {
  (cd harness && ../.venv/bin/python - "$variant" "$PORT_TOKENS") >"$results/token" <<'END'
import sys
from testbed.deploy import tokens
from testbed.model import systems

variant, port = sys.argv[1:]
issuing = systems.declaration(variant).tokens
url = f"http://localhost:{port}{issuing.issuer_path}{issuing.path}"
print(tokens.fetch(systems.Token(url=url, form=issuing.form)))
END
}
load() {
  local workload="$1" file="$LIVE/$1.csv"
  ./testbed jmeter -- -n -t "jmeter/$variant-$workload.jmx" -l "$file" -j "$results/$workload.log" \
    "-Jthreads=$threads" "-Jloops=$loops" "-Jramp=$ramp" "-Jport=$PORT_FRONT" \
    $([ ! -s "$results/token" ] || echo "-Jtoken=$(<"$results/token")") >"$results/$workload.out" 2>&1 ||
    { tail -n 20 "$results/$workload.out" "$results/$workload.log" >&2; return 1; }
  probe samples "$file" "$workload" $((threads * loops))
}

say "Variant $variant in containers"
check "$variant: up --wait" up
if [ "$RESULT" = passed ]; then
  ! sells_movies || check "$variant: a list right after the start names three cinemas" \
    probe list "$variant" "$PORT_FRONT" 3
  check "$variant: every container is healthy" all_healthy
  check "$variant: Prometheus reaches every target" eventually 120 targets "$PORT_PROMETHEUS" "prometheus/targets/$variant.yml"
  [ "$variant" != market-keycloak ] || check "$variant: a token" get_token
  # All at the same time: most of each is the wait for the next user's start.
  for workload in "${workloads[@]}"; do
    check "$variant: $workload, $threads users, $loops times, no failure" load "$workload" &
  done
  wait
  case "$variant" in
    feed-*)
      check "$variant: the cache answers most requests" \
        probe source "$PORT_FEED_MANAGEMENT" $((threads * loops / 5))
      ;;
  esac
  case "$variant" in
    # Nginx and Varnish export no metrics.
    feed-nginx | feed-varnish) ;;
    *)
      check "$variant: every panel of the dashboards has data" \
        probe dashboards "$PORT_PROMETHEUS" "$variant" 120 grafana/dashboards
      ;;
  esac
  case "$variant" in
    feed*) check "$variant: every answer as the contract says" answers test_rates.py ;;
    market-keycloak) check "$variant: every answer as the contract of tokens says" answers test_market_tokens.py ;;
    market-*) check "$variant: every answer as the contract says" answers test_market.py ;;
  esac
  case "$variant" in market-services | market-keycloak)
    check "$variant: the gateway cannot reach the database" database_is_its_services_own ;;
  esac
  case "$variant" in
    feed-nginx | feed-varnish)
      compose down --timeout 0
      export FEED_SOURCE_REFUSED=0.5 FEED_STALE=600s
      check "$variant: up --wait, with a source that refuses" up
      check "$variant: rates that are known are told while the source refuses" probe old "$PORT_FRONT"
      export FEED_SOURCE_REFUSED=1
      check "$variant: up --wait, with a source that refuses everything" up
      check "$variant: a refusal reaches all that wait for it" probe refused "$PORT_FRONT"
      ;;
  esac
  if sells_movies; then
    check "$variant: every answer as the contract says" answers
    compose stop cinema-ucd-service
    check "$variant: a stopped cinema is named as missing" probe list "$variant" "$PORT_FRONT" 2 ucd
    compose start cinema-ucd-service
    check "$variant: started again, it is back" eventually 120 list "$variant" "$PORT_FRONT" 3
    # Some minutes more, which `run` has not.
    [ -z "${STOPS:-}" ] || check "$variant: what stops is seen in the dashboards, and alerted on" \
      python3 .ci/stops.py "$variant" "$PORT_PROMETHEUS" "$PORT_FRONT"
  fi
fi
[ -n "$counted" ] || summary
