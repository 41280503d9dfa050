"""The names of settings: environment variables that Spring binds to properties of services."""

from __future__ import annotations

import difflib

OWN = (
    "AGGREGATOR_DEADLINE",
    "AGGREGATOR_FAN_OUT",
    "AGGREGATOR_POOL_ACQUIRE",
    "AGGREGATOR_POOL_IDLE",
    "AGGREGATOR_POOL_SIZE",
    "AGGREGATOR_ROUTE",
    "BROKER_ACKNOWLEDGED_TOGETHER",
    "BROKER_CONFIRM_TIMEOUT",
    "BROKER_DEADLINE",
    "BROKER_MAX_WAIT",
    "BROKER_PRESENCE_CHECK_INTERVAL",
    "BROKER_PRESENCE_LISTEN_FOR",
    "BROKER_PRESENCE_PRESENT_FOR",
    "BROKER_PRESENCE_REMEMBERED_FOR",
    "BROKER_STORE_CAPACITY",
    "BROKER_STORE_EXPIRY",
    "CINEMA_ACKNOWLEDGEMENT_MESSAGES",
    "CINEMA_DATABASE_COMMAND_TIMEOUT",
    "CINEMA_DATABASE_MAX_CONNECTING",
    "CINEMA_DATABASE_MAX_CONNECTIONS",
    "CINEMA_DATABASE_MAX_WAIT",
    "CINEMA_DATABASE_MIN_CONNECTIONS",
    "CINEMA_HANDICAP",
    "CINEMA_PRESENCE_INTERVAL",
    "GATEWAY_BREAKER_COUNT_SERVER_ERRORS",
    "GATEWAY_BREAKER_RETRY_UNREACHABLE",
    "TESTBED_HISTOGRAM_BUCKETS",
    "TESTBED_WEB_MAX_BODY",
)
"""Settings that the services define. Other Spring properties are named in the same way."""

CHOSEN_OTHERWISE = (
    "AGGREGATOR_GATEWAY_URL",
    "CINEMA_CATALOGUE",
    "CINEMA_NAME",
    "CINEMA_TRANSPORT",
    "TESTBED_PRESET",
    "TESTBED_VARIANT",
)
"""Not settings: they follow from the variant, the preset and the ports."""

NEAR = 0.8
"""The similarity, from 0 to 1, from which a name is a misspelling of a name in `OWN`."""

_PREFIXES = tuple({f"{name.partition('_')[0]}_" for name in OWN})


def known(name: str) -> str:
    """Return the name of a setting if a service may know it.

    Spring ignores unknown names, so an experiment with a misspelt factor would compare a system
    with itself. Raises `ValueError` if the name is in `CHOSEN_OTHERWISE`, or if it resembles `OWN`
    (same prefix or misspelt) but is not in it.
    """
    if name in CHOSEN_OTHERWISE:
        raise ValueError(f"{name} follows from the variant and the preset: it is no setting")
    near = difflib.get_close_matches(name, OWN, n=1, cutoff=NEAR)
    if name in OWN or not (near or name.startswith(_PREFIXES)):
        return name
    prefix = f"{(near[0] if near else name).partition('_')[0]}_"
    meant = f" (did you mean {near[0]}?)" if near else ""
    choices = ", ".join(one for one in OWN if one.startswith(prefix))
    raise ValueError(f"{name} is a setting of no service{meant}; choose from: {choices}")
