"""The names of the systems and of their services, as every package knows them."""

from __future__ import annotations

from typing import Literal, get_args

Variant = Literal["sync", "async"]
Preset = Literal["tuned", "thesis"]
Backends = Literal["embedded", "docker", "local"]

VARIANTS: tuple[str, ...] = get_args(Variant)
PRESETS: tuple[str, ...] = get_args(Preset)
BACKENDS: tuple[str, ...] = get_args(Backends)

CINEMAS = {"cineworld": 8082, "dundrum": 8083, "ucd": 8084}

FRONT_SERVICE = {"sync": "api-gateway-service", "async": "broker-service"}
"""The service that the load goes to."""


def cinema_service(name: str) -> str:
    """Return the service name of a cinema, as registries and compose files have it."""
    return f"cinema-{name}-service"


CINEMA_SERVICES = tuple(map(cinema_service, CINEMAS))

STOPPABLE = {
    "sync": (FRONT_SERVICE["sync"], "aggregator-service", *CINEMA_SERVICES),
    "async": (FRONT_SERVICE["async"], *CINEMA_SERVICES),
}
"""The services of each variant that an experiment may stop for a while."""
