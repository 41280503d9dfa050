# Sourced by each finding: a temporary folder, which goes at the end with all that was started.
# shellcheck shell=bash
set -euo pipefail

lib=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
started=()
finish() {
  local pid
  for pid in "${started[@]}"; do
    { kill "$pid" && wait "$pid"; } 2> /dev/null || true
  done
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"

# What several findings install, without the clients.
# shellcheck disable=SC2034
broker_j=(org.apache.qpid:qpid-broker-core:10.1.0 org.apache.qpid:qpid-broker-plugins-amqp-0-8-protocol:10.1.0
  org.apache.qpid:qpid-broker-plugins-memory-store:10.1.0 org.slf4j:slf4j-nop:2.0.17)

# libraries [bom=GROUP:ARTIFACT:VERSION]... GROUP:ARTIFACT:VERSION...: puts libraries and what they need into the folder
# `lib`; what they need has the version of the first BOM that has one.
libraries() {
  local library parts dependency managed='' needed=''
  for library in "$@"; do
    IFS=: read -ra parts <<< "${library#bom=}"
    printf -v dependency '<groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>' "${parts[@]}"
    if [[ $library == bom=* ]]; then
      managed+="<dependency>$dependency<type>pom</type><scope>import</scope></dependency>"
    else
      needed+="<dependency>$dependency</dependency>"
    fi
  done
  cat > pom.xml <<POM
<project><modelVersion>4.0.0</modelVersion>
<groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
<dependencyManagement><dependencies>$managed</dependencies></dependencyManagement>
<dependencies>$needed</dependencies></project>
POM
  mvn -B -ntp -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DoutputDirectory=lib > maven.log 2>&1 || { cat maven.log; exit 1; }
}

# python_packages REQUIREMENT...: installs Python packages into the virtual environment `packages`.
python_packages() {
  python3 -m venv packages
  packages/bin/pip install -q --disable-pip-version-check "$@"
}

# debian PACKAGE NAME VERSION COMMAND...: installs a package of Debian if the command is not there, and prints the version
# that it reports, which must be VERSION, or begin with it.
debian() {
  local package=$1 name=$2 wanted=$3 version=''
  shift 3
  command -v "$1" > /dev/null ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" > apt.log
  [[ $("$@" 2>&1) =~ [0-9]+\.[0-9.]*[0-9] ]] && version=${BASH_REMATCH[0]}
  echo "$name $version"
  [[ $version == "$wanted" || $version == "$wanted".* ]] ||
    { echo "NO LONGER SO: $name is $version, not $wanted"; exit 1; }
}

# run_java MAIN HELPER...: compiles MAIN.java of this folder with classes of findings/lib, and runs it.
run_java() {
  local main=$1 helper
  shift
  for helper in Finding "$@"; do
    cp "$lib/$helper.java" .
  done
  javac -cp 'lib/*' ./*.java
  java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'lib/*:.' "$main"
}

# run_go PACKAGE@VERSION...: runs main.go of this folder, which imports these packages.
run_go() {
  { go mod init finding && go get "$@"; } 2> go.log || { cat go.log; exit 1; }
  echo "$@"
  go run main.go
}

# await TRIES COMMAND...: runs a command every 0.1 s until it succeeds; fails after so many times.
await() {
  local left=$1
  shift
  until "$@"; do
    ((left-- > 0)) || { echo "in vain: $*"; return 1; }
    sleep 0.1
  done
}

# serve: starts server.py of this folder, by default that of findings/lib, and waits until it has written its port into
# the file `port`.
serve() {
  cp "$lib/serving.py" .
  [ -e server.py ] || cp "$lib/server.py" .
  python3 server.py 2> server.log &
  started+=("$!")
  await 100 test -e port || { cat server.log; exit 1; }
}

# free_port: a port that nobody listens on.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# nginx_before LINES: Nginx, with a cache and these lines, before the server of this folder; its port is $listen.
nginx_before() {
  debian nginx-light Nginx 1.22 nginx -v
  listen=$(free_port)
  cat > nginx.conf <<CONFIGURATION
daemon off; pid $folder/pid; error_log $folder/errors; user root; worker_processes 1;
events {}
http {
  access_log off; client_body_temp_path $folder/1; proxy_temp_path $folder/2; fastcgi_temp_path $folder/3;
  uwsgi_temp_path $folder/4; scgi_temp_path $folder/5; proxy_cache_path $folder/cache keys_zone=kept:1m;
  server { listen 127.0.0.1:$listen; location / { proxy_pass http://127.0.0.1:$(cat port); proxy_cache kept; $1 } }
}
CONFIGURATION
  nginx -e errors -c "$folder/nginx.conf" 2> nginx.log &
  started+=("$!")
  await 100 curl -s -o first "http://127.0.0.1:$listen/ready"
}

# jmeter_home: lays JMeter 5.6.3 out in the folder `jmeter`.
jmeter_home() {
  local part parts=()
  for part in ApacheJMeter ApacheJMeter_config ApacheJMeter_components ApacheJMeter_functions ApacheJMeter_http; do
    parts+=("org.apache.jmeter:$part:5.6.3")
  done
  libraries "${parts[@]}"
  mkdir -p jmeter/lib/ext jmeter/lib/junit
  (cd jmeter && jar --extract --file ../lib/ApacheJMeter_config-5.6.3.jar bin)
  mv lib/ApacheJMeter-5.6.3.jar jmeter/bin/ApacheJMeter.jar
  mv lib/ApacheJMeter_*.jar jmeter/lib/ext
  mv lib/*.jar jmeter/lib
}

# jmeter ARGUMENT...: runs JMeter; what it prints goes to jmeter.out.
jmeter() {
  java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -jar jmeter/bin/ApacheJMeter.jar -j jmeter.log "$@" > jmeter.out 2>&1 ||
    { cat jmeter.out; exit 1; }
}

# jmeter_plan FILE -JNAME=VALUE...: sends lib/plan.jmx (threads, ramp, duration, loops, method, port, path) into FILE.
jmeter_plan() {
  jmeter -n -t "$lib/plan.jmx" -l "$@"
}
