#!/usr/bin/env bash
# kubernetes.sh [SYSTEM...]: starts systems, by default sync and async, on the cluster of kubectl's current
# context, and checks their contract, a pod that is killed, a rolling update and an autoscaler under load. By
# hand, before a release; not part of `run`.
# This machine must be a node of the cluster, which has a metrics API, and Docker must have the images of
# local-images.sh. IMPORT is a command that hands images of Docker to the nodes.
set -euo pipefail
# shellcheck source=.ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

IMPORT="${IMPORT:?a command that hands images to the nodes, such as 'kind load docker-image'}"
# Where the plans reserve.
CINEMA=cinema-cineworld-service

cd "$ROOT"
work=$(mktemp -d)
namespace=
finish() {
  [ -z "$namespace" ] || kubectl delete namespace "$namespace" --wait=false >/dev/null 2>&1 || true
  rm -rf "$work" "$CHECKS" "$CHECKS.failed"
}
trap finish EXIT

ours() { kubectl --namespace "$namespace" "$@"; }
rolled() { ours rollout status "deployment/$1" --timeout=5m >/dev/null; }
# Not condition=Available: instances from before the last change satisfy that.
ready() {
  local names one
  names=$(ours get deployment --output 'jsonpath={.items[*].metadata.name}') || return
  for one in $names; do rolled "$one" || { ours get pods; return 1; }; done
}
replicas() { ours get deployment "$CINEMA" --output 'jsonpath={.status.readyReplicas}'; }
scaled() { [ "$(replicas)" "$1" "$2" ]; }

# images OVERLAY: hands the nodes what its manifests name.
images() {
  local name named
  mapfile -t named < <(sed -n 's/^ *image: //p' "$work/kubernetes/overlays/$1"/*.yaml | sort -u)
  for name in "${named[@]}"; do
    [[ $name != testbed/* ]] || docker tag "testbed-local/${name#testbed/}:1" "$name"
  done
  # shellcheck disable=SC2086
  $IMPORT "${named[@]}" >/dev/null
}

# overlay SYSTEM COMPONENT...: its manifests with the local images.
overlay() {
  local system="$1" component
  shift
  mkdir -p "$work/overlays/$system"
  {
    echo "namespace: testbed-$system"
    echo "resources: [../../kubernetes/overlays/$system]"
    echo "components:"
    for component; do echo "- ../../kubernetes/components/$component"; done
  } >"$work/overlays/$system/kustomization.yaml"
}
apply() { kubectl apply --kustomize "$work/overlays/$1" >/dev/null; }

# load SYSTEM SECONDS THREADS: reservations for so long, into samples.csv.
load() {
  rm -f "$work/samples.csv"
  ./testbed jmeter -- -n -t "jmeter/$1-reserve.jmx" -l "$work/samples.csv" -j "$work/jmeter.log" \
    "-Jhost=$host" "-Jport=$port" "-Jthreads=$3" -Jramp=0 -Jloops=-1 "-Jduration=$2" >"$work/jmeter.out" 2>&1
}

begun() { [ -s "$work/samples.csv" ] && (($(wc -l <"$work/samples.csv") > 100)); }

# failures: operations, failed ones, and in how many seconds one failed; then the first of these.
failures() {
  .venv/bin/python - "$work/samples.csv" <<'PYTHON'
import csv, sys
rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["label"] == "reserve"]
failed = [row for row in rows if row["success"] != "true"]
print(len(rows), len(failed), len({int(row["timeStamp"]) // 1000 for row in failed}))
for row in failed[:3]:
    print(row["timeStamp"], row["elapsed"], row["responseCode"], row["responseMessage"], row["failureMessage"])
PYTHON
}

# beside_load SYSTEM SECONDS COMMAND...: puts load on while a command runs; sets operations, failed, seconds.
beside_load() {
  local system="$1" length="$2" loading code=0
  shift 2
  load "$system" "$length" 4 &
  loading=$!
  poll 60 begun || code=$?
  "$@" || code=$?
  wait "$loading" || code=$?
  failures >"$work/failures" || return
  read -r operations failed seconds <"$work/failures"
  echo "$operations reservations, $failed failed, in $seconds seconds"
  tail -n +2 "$work/failures"
  return "$code"
}

crash() {
  local victim
  victim=$(ours get pods --selector "app.kubernetes.io/name=$CINEMA" --output 'jsonpath={.items[0].metadata.name}')
  ours delete pod "$victim" --grace-period=0 --force >/dev/null 2>&1
}
killed() {
  ours scale "deployment/$CINEMA" --replicas=2 >/dev/null && rolled "$CINEMA" &&
    beside_load "$1" 60 crash && rolled "$CINEMA" && ((failed * 100 <= operations))
}

restart() {
  local one
  for one in "${services[@]}"; do
    ours rollout restart "deployment/$one" >/dev/null || return
    rolled "$one" || return
  done
}
updated() { beside_load "$1" 240 restart && ((failed == 0)); }

# More instances while there is load, and one again after it.
autoscaled() {
  # Two are left of the check before; the manifests have one.
  poll 120 scaled -eq 1 || return
  load "$1" 150 50 &
  local loading=$! up=0
  poll 150 scaled -gt 1 && up=1
  echo "instances under load: $(replicas)"
  wait "$loading" || true
  ((up)) && poll 240 scaled -eq 1 && echo "instances after it: $(replicas)"
}

.ci/local-images.sh from-jars
cp -r kubernetes "$work/kubernetes"
TESTBED_ENV_FILE=.ci/local.env ./testbed generate --manifests "$work/kubernetes"
(($#)) || set -- sync async
for system; do
  namespace=testbed-$system
  say "$system on Kubernetes"
  overlay "$system" one-node
  images "$system"
  apply "$system"
  mapfile -t services < <(ours get deployment --output 'jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}' | grep -- -service$)
  ours set env deployment --selector "app.kubernetes.io/part-of=$namespace" CINEMA_DRILLS=true >/dev/null
  check "$system: available" ready
  read -r front port <<<"$(sed -n 's/^front: {service: \(.*\), port: \(.*\)}/\1 \2/p' "systems/$system/system.yaml")"
  host=$(ours get service "$front" --output 'jsonpath={.spec.clusterIP}')
  check "$system: a full answer" poll 60 curl --silent --fail --output /dev/null "http://$host:$port/api/movie/list"
  check "$system: every answer as the contract says" contract "http://$host:$port" "$system"
  check "$system: one of two instances killed fails one reservation in a hundred at most" killed "$system"
  check "$system: a rolling update of every service fails none" updated "$system"
  overlay "$system" one-node autoscaling
  apply "$system"
  check "$system: scales up under load, and down after it" autoscaled "$system"
  kubectl delete namespace "$namespace" >/dev/null
  namespace=
done
summary
