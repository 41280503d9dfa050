# shellcheck shell=bash
# Shared by the scripts of this folder; sourced, not run.

# shellcheck disable=SC2034
ROOT="$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
# One line per check. Scripts that are called append to the file of their caller.
export CHECKS="${CHECKS:-$(mktemp)}"
# The launcher installs the packages of tests with those of users.
export TESTBED_DEV=1

say() { printf '\n== %s\n' "$*"; }

# compose_file SYSTEM: the path of its compose file.
compose_file() { sed -n 's/^compose: //p' "$ROOT/systems/$1/system.yaml"; }

# poll SECONDS COMMAND...: tries until the command succeeds or the time is over.
poll() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.5
  done
}

# check NAME COMMAND...: runs the command, in a shell of its own, counts how it ended, and leaves that in RESULT.
# Never fails itself.
check() {
  local name="$1" start=$SECONDS output
  shift
  output=$(mktemp)
  RESULT=passed
  "$@" 2>&1 | tee "$output" || RESULT=failed
  printf '%s: %s (%d s)\n' "$RESULT" "$name" $((SECONDS - start))
  echo "$RESULT" >>"$CHECKS"
  if [ "$RESULT" = failed ]; then
    { say "Failed: $name; the end of its output"; tail -n 60 "$output"; } >>"$CHECKS.failed"
  fi
  rm -f "$output"
}

# contract BASE-URL SYSTEM [FILE]: the rows of the contract, and what is refused, asked of a running system.
contract() {
  TESTBED_BASE_URL="$1" TESTBED_VARIANT="$2" \
    .venv/bin/python -m pytest --quiet --config-file harness/pyproject.toml "harness/tests/contract/${3:-}"
}

# summary: what failed, once more, and the closing line; fails when a check failed or none was made.
summary() {
  local passed failed
  passed=$(grep -c '^passed$' "$CHECKS" || true)
  failed=$(grep -c '^failed$' "$CHECKS" || true)
  ((failed == 0)) || cat "$CHECKS.failed"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0 && passed > 0))
}
