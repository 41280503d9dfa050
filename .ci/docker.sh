#!/usr/bin/env bash
# docker.sh start|stop: a Docker engine with the compose plugin, on a Debian machine that may have neither.
# `stop` ends the engine only if `start` started it.
set -euo pipefail
# shellcheck source=.ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

COMPOSE_VERSION=v5.5.1
state=/var/tmp/testbed-docker

answers() { docker info >/dev/null 2>&1; }
gone() { ! kill -0 "$1" 2>/dev/null; }
answers_or_gone() { answers || gone "$1"; }

# engine OPTION...: starts the engine, and waits until it answers.
engine() {
  local pid
  setsid dockerd "$@" >>"$state/dockerd.log" 2>&1 </dev/null &
  pid=$!
  echo "$pid" >"$state/dockerd.pid"
  poll 60 answers_or_gone "$pid" && answers && return
  echo "The Docker engine ($pid) does not answer."
  stop
  return 1
}

# A panic tells its cause first, and then where each thread was.
print_log() {
  grep -v "level=\(info\|debug\)" "$state/dockerd.log" | head -n 60 >&2
}

start() {
  local missing=()
  command -v dockerd >/dev/null || missing+=(docker.io)
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  if ((${#missing[@]})); then
    say "Installing ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" iptables >/dev/null
  fi
  mkdir -p "$state"
  if ! answers; then
    say "Starting the Docker engine"
    : >"$state/dockerd.log"
    # An engine that was killed may leave a list of networks that no engine can read: each start panics.
    engine || engine --data-root "$(mktemp -d "$state/data-XXXXXX")" || { print_log; return 1; }
  fi
  docker compose version >/dev/null 2>&1 || install_compose
}

# From its source, because no package of Debian 12 has it. The older docker-compose of Debian knows neither
# `up --wait` nor all that the compose files say.
install_compose() {
  say "Building docker compose $COMPOSE_VERSION"
  local module plugins="${DOCKER_CONFIG:-$HOME/.docker}/cli-plugins"
  module=$(mktemp -d)
  mkdir -p "$plugins"
  (
    cd "$module"
    go mod init testbed-compose
    go get "github.com/docker/compose/v5/cmd@$COMPOSE_VERSION"
    go build -ldflags "-X github.com/docker/compose/v5/internal.Version=$COMPOSE_VERSION" \
      -o "$plugins/docker-compose" github.com/docker/compose/v5/cmd
  ) >"$state/compose-build.log" 2>&1 || { tail -n 20 "$state/compose-build.log" >&2; return 1; }
  rm -rf "$module"
  docker compose version
}

stop() {
  [ -f "$state/dockerd.pid" ] || return 0
  local pid
  pid=$(cat "$state/dockerd.pid")
  rm -f "$state/dockerd.pid"
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] || return 0
  kill "$pid"
  poll 60 gone "$pid"
}

"${1:?start or stop}"
