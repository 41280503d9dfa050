#!/usr/bin/env bash
# JDK 25.0.3, AOT cache (JEP 483, 514). The JDK is that of JAVA_HOME, or one in /usr/lib/jvm.
# Guess: a cache that was made from another jar is refused, as an archive of class data sharing is: the new jar's
# classes run, more slowly; with AOTMode=on the JVM stops and says why.
# What happens: the classes of the old jar run, AOTMode=on included. The jar's time and size are not looked
# at, and nothing is printed.
# Why it matters: a service that was built again and started with the cache that lies beside it is the old one, in a
# measurement as in production; logs, health and exit status are as ever.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

for home in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
  jdk=$home/bin
  version=$("$jdk/java" --version 2> /dev/null | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p') || true
  [[ $version != 25* ]] || break
done
[[ $version == 25* ]] || { echo "needs JDK 25: set JAVA_HOME"; exit 1; }
echo "JDK $version"
[[ $version == 25.0.[0-3]* ]] || { echo "NO LONGER SO: not tried with JDK $version"; exit 1; }

build() { # what it prints
  mkdir -p classes
  cat > Service.java <<END
public class Service {
  public static void main(String[] arguments) {
    System.out.println("$1");
  }
}
END
  "$jdk/javac" -d classes Service.java
  "$jdk/jar" --create --file service.jar --main-class Service -C classes .
}

build "first"
"$jdk/java" -XX:AOTCacheOutput=service.aot -jar service.jar > training.log 2>&1
sleep 2  # Times of files differ by more than a second.
build "second, of another length"

without=$("$jdk/java" -jar service.jar 2>&1)
auto=$("$jdk/java" -XX:AOTCache=service.aot -jar service.jar 2>&1)
on=$("$jdk/java" -XX:AOTCache=service.aot -XX:AOTMode=on -jar service.jar 2>&1)
echo "built again; without a cache: $without; with the former build's: $auto; with AOTMode=on: $on"
[ "$without" = "second, of another length" ] || { echo "the jar was not built again"; exit 1; }
[ "$auto $on" = "first first" ] || { echo "NO LONGER SO: the jar is compared with the cache"; exit 1; }
