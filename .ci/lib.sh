# Shared by the scripts of this folder; sourced, not run.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
# Where results of checks are counted; a script that calls others hands it on.
export CHECKS="${CHECKS:-$(mktemp)}"

say() { printf '\n== %s\n' "$*"; }

# poll SECONDS COMMAND...: tries until the command succeeds or the time is over.
poll() {
  local end=$((SECONDS + $1)) pause=0.5
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep "$pause"
  done
}

# check NAME COMMAND...: runs the command and counts how it ended. Never fails itself.
check() {
  local name="$1" start=$SECONDS result=passed
  shift
  "$@" || result=failed
  printf '%s: %s (%d s)\n' "$result" "$name" $((SECONDS - start))
  echo "$result" >>"$CHECKS"
}

# summary: the closing line; fails when a check failed or none was made.
summary() {
  local passed failed
  passed=$(grep -c '^passed$' "$CHECKS" || true)
  failed=$(grep -c '^failed$' "$CHECKS" || true)
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0 && passed > 0))
}
