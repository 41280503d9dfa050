#!/usr/bin/env bash
# local-images.sh base|from-jars|keycloak: images for a machine that reaches no image registry, made of
# Debian's packages and the machine's JDK; names as in local.env. `from-jars` are those that need the built
# jars: the stand-in for MongoDB, PostgreSQL and the services. What has not changed is not built again.
# `keycloak` fetches 170 MB, which no other system needs.
set -euo pipefail
# shellcheck source=.ci/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

SUITE=bookworm
DEBIAN=testbed-local/debian:12
JDK=testbed-local/jdk:25
images="$ROOT/.ci/images"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly COMMAND...: shows the output of a command only where it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; return 1; }; }

# content FILE... : names what the files hold.
content() { cat "$@" | sha256sum | cut -c 1-16; }

id() { docker image inspect --format '{{.Id}}' "$1"; }

# current NAME CONTENT: whether the image is there and was made of this.
current() { [ "$(docker image inspect --format '{{index .Config.Labels "testbed.content"}}' "$1" 2>/dev/null)" = "$2" ]; }

# image NAME CONTENT DOCKER-BUILD-ARGUMENT...
image() {
  local name="$1" content="$2"
  shift 2
  current "$name" "$content" && return
  say "Building $name"
  # The classic builder is the one that needs no plugin.
  DOCKER_BUILDKIT=0 quietly docker build --label "testbed.content=$content" --tag "$name" "$@"
}

debian() {
  local content mirror
  content=$(content <<<"$SUITE minbase")
  current "$DEBIAN" "$content" && return
  say "Building $DEBIAN"
  # From where this machine itself installs.
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $SUITE" 'Component: main' 'Created-By: Packages' | head -n 1)
  quietly debootstrap --variant=minbase "$SUITE" "$work/debian" ${mirror:+"$mirror"}
  rm -rf "$work"/debian/var/cache/apt/archives/*.deb
  tar -C "$work/debian" -c . | quietly docker import --change "LABEL testbed.content=$content" \
    --change 'ENV DEBIAN_FRONTEND=noninteractive' - "$DEBIAN"
}

jdk_home() {
  local home
  for home in ${JAVA_HOME:+"$JAVA_HOME"} /usr/lib/jvm/*25*; do
    if [ -x "$home/bin/java" ] && grep -qs '^JAVA_VERSION="25' "$home/release"; then
      readlink -f "$home"
      return
    fi
  done
  echo "No JDK 25: set JAVA_HOME." >&2
  return 1
}

base() {
  local home name
  debian
  home=$(jdk_home)
  image "$JDK" "$(content "$images/jdk/Dockerfile" "$home/release" <(id "$DEBIAN"))" --file "$images/jdk/Dockerfile" "$home"
  for name in rabbitmq:3.10 varnish:7 nginx:1 prometheus:2 node-exporter:1 python:3; do
    image "testbed-local/$name" "$(content "$images/${name%:*}/Dockerfile" <(id "$DEBIAN"))" "$images/${name%:*}"
  done
}

stand-in() {
  local file="$images/mongodb-stand-in/Dockerfile" target="$ROOT/embedded-backends/target"
  image testbed-local/mongodb-stand-in:1 "$(content "$file" "$target/embedded-backends.jar" <(id "$JDK"))" --file "$file" "$target"
  # Its data outlives it: for tests that kill it. It writes before each answer, so it is not for measurements.
  image testbed-local/mongodb-stand-in:1-on-disk "$(content <(id testbed-local/mongodb-stand-in:1))" - <<'END'
FROM testbed-local/mongodb-stand-in:1
ENV EMBEDDED_MONGODB_FILE=/data/db/data
END
}

# The server of the embedded backends, as a container.
postgresql() {
  local tree="$work/postgresql" folder="$images/postgresql" jar="$ROOT/embedded-backends/target/embedded-backends.jar"
  mkdir "$tree"
  cp "$folder/entrypoint" "$tree"
  python3 - "$jar" "$tree/programs" <<'END'
import io, platform, sys, tarfile, zipfile

jar, target = sys.argv[1:]
kind = "arm64v8" if platform.machine() == "aarch64" else "amd64"
with zipfile.ZipFile(jar) as whole:
    name = next(name for name in whole.namelist() if f"embedded-postgres-binaries-linux-{kind}-" in name)
    with zipfile.ZipFile(io.BytesIO(whole.read(name))) as inner:
        packed = next(name for name in inner.namelist() if name.endswith(".txz"))
        tarfile.open(fileobj=io.BytesIO(inner.read(packed)), mode="r:xz").extractall(target, filter="data")
END
  image testbed-local/postgresql:18 \
    "$(content "$folder"/* "$tree/programs/bin/postgres" <(id "$DEBIAN"))" --file "$folder/Dockerfile" "$tree"
}

# The release that the compose file names; the harness knows where to fetch it.
keycloak() {
  local tree="$work/keycloak" folder="$images/keycloak"
  (cd "$ROOT/harness" && "$ROOT/.venv/bin/python" - "$tree") <<'END'
import sys
from pathlib import Path
from testbed.deploy import deployments
from testbed.deploy.building import distributions
from testbed.deploy.deployments import Choice
from testbed.model.project import Project

(release,) = deployments.programs(Choice("market-keycloak"), Project.find())
tree = Path(sys.argv[1])
tree.mkdir()
distributions.unpack(release, tree).rename(tree / "keycloak")
END
  # It does not start without certificates to trust, which are a link to the machine's in the JDK of some packages.
  cp --dereference "$(jdk_home)/lib/security/cacerts" "$tree"
  image testbed-local/keycloak:26 \
    "$(content "$folder/Dockerfile" "$tree/keycloak/version.txt" <(id "$JDK"))" --file "$folder/Dockerfile" "$tree"
}

# built COMPOSE-FILE: name and module of each image that a compose file builds.
built() {
  docker compose --env-file "$ROOT/.env" --env-file "$ROOT/.ci/local.env" --file "$ROOT/$1" config --format json |
    python3 -c 'if True:
      import json, sys
      project = json.load(sys.stdin)
      for name, service in project["services"].items():
          if "build" in service:
              print(project["name"] + "-" + name, service["build"]["args"]["SERVICE"])'
}

# The images that compose would build, one for each module, from a tree of the few files they are made of.
# Compose and the classic builder would send the whole tree once more for each service.
from-jars() {
  local tree="$work/tree" jars content file name module
  stand-in
  postgresql
  cd "$ROOT"
  jars=(*-service/target/*-service.jar eureka-server/target/eureka-server.jar embedded-backends/target/embedded-backends.jar)
  mkdir "$tree"
  cp --recursive --parents "${jars[@]}" docker/{Dockerfile,Load.java,entrypoint,ready,train} presets "$tree"
  content=$(content <(cd "$tree" && find . -type f | sort | xargs sha256sum) <(id "$JDK"))
  for file in docker-compose.*.yml systems/*/compose.yml; do
    built "$file" >"$work/built"
    while read -r name module; do
      image "testbed-local/$module:1" "$content" --file "$tree/docker/Dockerfile" --target prebuilt \
        --build-arg "BUILD_IMAGE=$JDK" --build-arg "RUNTIME_IMAGE=$JDK" --build-arg "SERVICE=$module" "$tree"
      docker tag "testbed-local/$module:1" "$name"
    done <"$work/built"
  done
}

case "${1:-}" in
  base | from-jars | keycloak) "$1" ;;
  *)
    echo "local-images.sh base|from-jars|keycloak" >&2
    exit 2
    ;;
esac
