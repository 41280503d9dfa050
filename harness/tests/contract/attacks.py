"""Requests for what no service may show or change, sent byte for byte as written."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse

from testbed.deploy import ports
from testbed.deploy.stack import Stack
from testbed.model.systems import declaration

PATIENCE_S = 60

PROBLEM = "application/problem+json"

LEAKS = (
    *("root:x", "Exception", "<html", "JAVA PROFILE", "Tomcat", "reactor.netty"),
    *("org.springframework", "propertySources", "jdbc:", "javax.management"),
)
"""What answers to these requests have when they tell too much."""

HEALTH_AND_METRICS = ("/actuator/health", "/actuator/health/readiness", "/actuator/prometheus")
"""Answered at the management port, and there only."""

EXPRESSION = "T(java.lang.Runtime).getRuntime().exec('touch /tmp/broken-in')"

ENDPOINTS = (
    *("", "/", "/auditevents", "/beans", "/caches", "/conditions", "/configprops", "/env"),
    *("/env/java.home", "/env.json", "/env/", "/heapdump", "/hprof", "/httpexchanges", "/info"),
    *("/jolokia", "/jolokia/list", "/liquibase", "/logfile", "/loggers", "/mappings", "/metrics"),
    *("/metrics/jvm.memory.used", "/refresh", "/scheduledtasks", "/sessions", "/threaddump"),
    *("/trace", "/gateway", "/gateway/routes", "/gateway/globalfilters", "/gateway/routefilters"),
)

DISGUISED = (
    *("/..;/actuator/env", "/api/..;/actuator/env", "/cinema/ucd/..;/..;/actuator/env"),
    *("/actuator;/env", "/actuator;x=1/env", "/;/actuator/env", "//actuator/env"),
    *("/actuator//env", "/./actuator/env", "/api/../actuator/env", "/%61ctuator/env"),
    *("/actuator%2fenv", "/%2e%2e/actuator/env", "/%252e%252e/actuator/env", "/actuator/env%00"),
    *("/actuator/health/../env", "/actuator/health/%2e%2e/env", "/actuator/health/..;/env"),
    *("/actuator/..%5cenv", "/actuator\\env", "/ACTUATOR/env", "/actuator/env%20", "/%c0%ae/env"),
)

ELSEWHERE = (
    *("/env", "/heapdump", "/jolokia", "/jolokia/list", "/h2-console", "/h2-console/login.do"),
    *("/console", "/druid/index.html", "/swagger-ui.html", "/v3/api-docs", "/error"),
    *("/../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd"),
    *("/WEB-INF/web.xml", "/META-INF/MANIFEST.MF", "/application.yml", "/fallback/ucd"),
)


@dataclass(frozen=True)
class Attack:
    """A request; `target` is what follows the method, as it is sent."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.target}"

    def sent(self, port: int) -> bytes:
        """Return the bytes of the request."""
        headers = {
            "Host": f"localhost:{port}",
            "Connection": "close",
            **({"Content-Length": str(len(self.body))} if self.body else {}),
            **self.headers,
        }
        lines = [f"{self} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return ("\r\n".join(lines) + "\r\n\r\n" + self.body).encode()


@dataclass(frozen=True)
class Answer:
    """The answer to an attack; its status is 0 if there was none."""

    status: int
    media_type: str
    body: bytes

    def wrong(self) -> str | None:
        """Return what keeps this from being a refusal that tells nothing; None if nothing does."""
        text = self.body.decode(errors="replace")
        if not 400 <= self.status < 500:
            return f"{self.status} {text[:200]}"
        if leaks := [leak for leak in LEAKS if leak in text]:
            return f"{self.status}, tells {leaks}: {text[:200]}"
        if self.media_type != PROBLEM or json.loads(text)["status"] != self.status:
            return f"{self.status}, no problem but {self.media_type}: {text[:200]}"
        return None


def reads() -> Iterator[Attack]:
    """Yield requests that read."""
    for path in (*(f"/actuator{endpoint}" for endpoint in ENDPOINTS), *DISGUISED, *ELSEWHERE):
        yield Attack("GET", path)


def writes() -> Iterator[Attack]:
    """Yield requests that change something, or run code."""
    sent = {"Content-Type": "application/json"}
    route = {
        "id": "broken-in",
        "predicates": [{"name": "Path", "args": {"_genkey_0": "/broken-in/**"}}],
        # CVE-2022-22947.
        "filters": [
            {"name": "AddResponseHeader", "args": {"name": "x", "value": f"#{{{EXPRESSION}}}"}}
        ],
        "uri": "http://localhost:1",
    }
    for path in ("/actuator/gateway/routes/broken-in", "//actuator/gateway/routes/broken-in"):
        yield Attack("POST", path, sent, json.dumps(route))
        yield Attack("DELETE", path)
    yield Attack("POST", "/actuator/gateway/refresh", sent, "{}")
    setting = json.dumps({"name": "spring.cloud.bootstrap.location", "value": "http://localhost:1"})
    yield Attack("POST", "/actuator/env", sent, setting)
    for path in ("shutdown", "refresh", "restart", "pause", "loggers/ROOT", "busrefresh"):
        yield Attack("POST", f"/actuator/{path}", sent, "{}")
    yield Attack("POST", "/actuator/health", sent, "{}")
    yield Attack("DELETE", "/actuator/prometheus")
    command = {"type": "exec", "mbean": "java.lang:type=Memory", "operation": "gc"}
    for path in ("/actuator/jolokia", "/jolokia"):
        yield Attack("POST", path, sent, json.dumps(command))
    # CVE-2022-22963.
    routed = {"spring.cloud.function.routing-expression": EXPRESSION, **sent}
    for path in ("/functionRouter", "/"):
        yield Attack("POST", path, routed, "x")
    # CVE-2022-22965.
    bound = "class.module.classLoader.resources.context.parent.pipeline.first.pattern=x"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in ("/", "/cinema/ucd/reservation/make", "/api/cinema/ucd/reservation/make"):
        yield Attack("POST", f"{path}?{bound}", form, bound)
    # CVE-2021-44228 and its like: expressions in headers and logs must not be evaluated.
    yield Attack(
        "GET", "/${jndi:ldap://127.0.0.1:1/x}", {"User-Agent": "${jndi:ldap://127.0.0.1:1/x}"}
    )
    yield Attack("POST", "/h2-console/login.do", form, "driver=javax.naming.InitialContext")
    yield Attack("TRACE", "/actuator/health")


def all_of_them() -> tuple[Attack, ...]:
    """Return every attack."""
    return (*reads(), *writes())


def answer(port: int, attack: Attack) -> Answer:
    """Send an attack and return the answer."""
    with socket.create_connection((ports.LOOPBACK, port), PATIENCE_S) as connection:
        try:
            connection.sendall(attack.sent(port))
            response = HTTPResponse(connection, method=attack.method)
            response.begin()
            media_type = response.headers.get("Content-Type", "").partition(";")[0]
            return Answer(response.status, media_type, response.read())
        except (OSError, HTTPException) as problem:
            return Answer(0, "", f"no answer: {problem!r}".encode())


@dataclass(frozen=True)
class Door:
    """The two ports of an instance."""

    service: str
    management: int
    port: int


def doors(stack: Stack) -> tuple[Door, ...]:
    """Return the doors of every service; in containers, of those in one instance."""
    if stack.record.compose is None:
        addresses = {
            service.name: service.ports
            for service in stack.deployment.services
            if service.health is not None
        }
    else:
        own = declaration(stack.deployment.variant).services
        published = stack.deployment.published
        addresses = {name: published[name] for name in own if published[name]}
    assert addresses, "no service to ask"
    return tuple(Door(name, *numbers) for name, numbers in addresses.items())
