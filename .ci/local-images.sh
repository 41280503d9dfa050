#!/usr/bin/env bash
# local-images.sh [base|stand-in]: images for a machine that reaches no image registry, made of Debian's
# packages and the machine's JDK. Names as in local.env. `stand-in` is MongoDB's: it needs the jar of
# embedded-backends, which the others do not wait for. Without an argument: all.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

SUITE=bookworm
images="$ROOT/.ci/images"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# same NAME HASH: whether the image is there and was made of the same things.
same() { [ "$(docker image inspect --format '{{index .Config.Labels "testbed.content"}}' "$1" 2>/dev/null)" = "$2" ]; }

digest() { cat "$@" | sha256sum | cut -c1-16; }

# image NAME FOLDER CONTEXT FILE...: builds FOLDER/Dockerfile if it or one of the files has changed.
image() {
  local name="$1" file="$2/Dockerfile" context="$3" content
  shift 3
  content=$( (digest "$file" "$@"; docker image inspect --format '{{.Id}}' "$(awk '/^FROM/ {print $2; exit}' "$file")") | sha256sum | cut -c1-16)
  same "$name" "$content" && return
  say "Building $name"
  DOCKER_BUILDKIT=0 docker build --file "$file" --label "testbed.content=$content" --tag "$name" "$context" >"$log" 2>&1 ||
    { tail -n 30 "$log" >&2; return 1; }
}

jdk() {
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/*25*; do
    if [ -x "$home/bin/java" ] && grep -qs '^JAVA_VERSION="25' "$home/release"; then
      readlink -f "$home"
      return
    fi
  done
  echo "No JDK 25: set JAVA_HOME." >&2
  return 1
}

debian() {
  local name=testbed-local/debian:12 content mirror root
  content=$(digest <<<"$SUITE minbase")
  same "$name" "$content" && return
  say "Building $name"
  # The mirror that this machine itself installs from.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $SUITE" 'Created-By: Packages' 'Component: main' | head -n 1)
  root=$(mktemp -d)
  debootstrap --variant=minbase "$SUITE" "$root" ${mirror:+"$mirror"} >"$log" 2>&1 || { tail -n 20 "$log" >&2; return 1; }
  rm -rf "$root"/var/cache/apt/archives/*.deb
  tar -C "$root" -c . | docker import --change "LABEL testbed.content=$content" --change 'ENV DEBIAN_FRONTEND=noninteractive' - "$name" >/dev/null
  rm -rf "$root"
}

base() {
  local home
  home=$(jdk)
  debian
  image testbed-local/jdk:25 "$images/jdk" "$home" "$home/release"
  image testbed-local/rabbitmq:3.10 "$images/rabbitmq" "$images/rabbitmq"
  image testbed-local/prometheus:2 "$images/prometheus" "$images/prometheus"
  image testbed-local/node-exporter:1 "$images/node-exporter" "$images/node-exporter"
}

stand-in() {
  local target="$ROOT/embedded-backends/target"
  image testbed-local/mongodb-stand-in:1 "$images/mongodb-stand-in" "$target" "$target/embedded-backends.jar"
}

case "${1:-all}" in
  all)
    base
    stand-in
    ;;
  base | stand-in) "$1" ;;
  *)
    echo "base or stand-in, not '$1'" >&2
    exit 2
    ;;
esac
