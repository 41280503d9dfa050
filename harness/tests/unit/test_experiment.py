from __future__ import annotations

from pathlib import Path

import pytest

from testbed.experiment import reading
from testbed.experiment.parts import ServiceLimits
from testbed.model.errors import UserError
from testbed.model.project import Project

VALID = """
name: mine
threads: [1, 10]
loops: 5
"""


SCALED = "systems: {{a: {{variant: sync, autoscale: {{service: cinema-ucd-service, {}}}}}}}\n"

BOTH_SCALED = (
    "systems: {{a: {{variant: market-services, autoscale: "
    "[{{service: beans-service, rule: alarm, max: 2, above: 0.6}}, {{service: {}, {}}}]}}}}\n"
    "workloads: [page]\nlimits: {{beans-service: {{cpus: 0.2}}}}\n"
)

LIMITED = "limits: {cinema-ucd-service: {cpus: 0.2}}\n"


def error(text: str) -> str:
    with pytest.raises(UserError) as refused:
        reading.parse(text, "mine.yaml")
    return refused.value.message


def test_reads_an_experiment_and_fills_in_defaults() -> None:
    plan = reading.parse(VALID, "mine.yaml")

    assert plan.threads == (1, 10)
    assert plan.variants == ("sync", "async")
    assert plan.backends == "embedded"


def test_what_is_written_down_reads_back_the_same() -> None:
    plan = reading.parse(VALID + "settings: {BROKER_STORE_CAPACITY: 100}\n", "mine.yaml")

    assert reading.parse(plan.to_yaml(), "experiment.yaml") == plan
    assert plan.settings == {"BROKER_STORE_CAPACITY": "100"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("variants: [sync, asynch]", "variants[1]: 'asynch' is unknown; choose from: sync, async"),
        (
            "duration: 5\nramp: 9",
            "ramp: 9 s is more than the 5 s of a load: its last users would begin after the end",
        ),
        (
            "backends: local-ish",
            "backends: 'local-ish': input should be 'embedded', 'docker', 'local', 'command' or "
            "'compose'",
        ),
        (
            "systems: {a: {variant: sync}, b: {variant: sync, preset: thesis}, "
            "c: {variant: async}}\ngroups: [[a, b]]\nduration: null\nloops: null\nblocks: {}",
            "groups: c is in none, and would not be measured in blocks",
        ),
        (
            "variants: [sync]\ntogether: pairs\nduration: null\nloops: null\nblocks: {}",
            "together: 'pairs': needs two systems",
        ),
        (
            "systems: {a: {variant: sync, target: https://host:80}}",
            "'https://host:80' is not the address of a front door: give http://HOST:PORT",
        ),
        (
            "systems: {a: {variant: sync, target: 'http://host'}}",
            "'http://host' is not the address",
        ),
        ("systems: {a: {variant: sync, target: 'http://host:1/a'}}", "is not the address"),
        ("systems: {a: {variant: sync, target: 'http://host:x'}}", "is not the address"),
        ("systems: {a: {variant: sync, target: 'http://me:pw@host:1'}}", "is not the address"),
        (
            "systems: {a: {variant: sync, target: 'http://host:1', jars: old, stored: 7}}",
            "target and stored, jars exclude each other: it runs already",
        ),
        (
            "systems: {a: {variant: sync, target: 'http://host:1'}}\n"
            "disturb: {service: cinema-ucd-service, at: 1}",
            "target and disturb exclude each other: it runs already",
        ),
        (
            "fetch: later",
            "fetch: 'later': input should be 'wait', 'immediate', 'poll' or 'request'",
        ),
        ("threads: [10, 0]", "threads[1]: 0: input should be greater than or equal to 1"),
        ("threads: [10, ten]", "threads[1]: 'ten'"),
        ("threads: []", "threads: []"),
        ("threads: [10, 10]", "threads: 10 is given more than once"),
        ("workloads: [list, list]", "workloads: list is given more than once"),
        ("loops: 1.5", "loops: 1.5"),
        ("repetitions: 0", "repetitions: 0"),
        ("warmup: {window: 0}", "warmup.window: 0"),
        ("warmup: {treads: 1}", "warmup.treads: unknown key (did you mean threads?)"),
        ("warmup: often", "warmup: 'often': input should be a valid dictionary"),
        ("variant: [sync]", "variant: unknown key (did you mean variants?); choose from: name,"),
        ("name: No Spaces", "name: 'No Spaces': string should match pattern '^[a-z][a-z0-9-]*$'"),
        ("name: 5", "name: 5: input should be a valid string"),
        ("name: ../mine", "name: '../mine': string should match pattern"),
        ("name: $(x)", "name: '$(x)': string should match pattern"),
        ('name: "mine\\n"', "string should match pattern"),
        ("systems: {../x: {variant: sync}}", "string should match pattern"),
        ("systems: {'[red]': {variant: sync}}", "string should match pattern"),
        ('settings: {A: "\\0"}', "settings.A: '\\x00': string should match pattern"),
        ("5: x", "[5]: 5: keys should be strings"),
        ("threads: 10", "threads: 10 is not a list; write [10]"),
        ("systems: [sync]", "systems: ['sync']: input should be a valid dictionary"),
        (
            "factors: {AGGREGATOR_ROUTE: [true]}",
            "factors.AGGREGATOR_ROUTE[0]: True: input should be",
        ),
        (
            "factors: {AGGREGATOR_FAN_OUTS: [a, b]}",
            "AGGREGATOR_FAN_OUTS cannot be set",
        ),
        (
            "settings: {broker_deadline: 1s}",
            "'broker_deadline': string should match pattern '^[A-Z]",
        ),
        ("settings: {BROKER_DEADLIN: 1s}", "cannot be set (did you mean BROKER_DEADLINE?)"),
        ("settings: {TESTBED_PRESET: thesis}", "TESTBED_PRESET cannot be set"),
        (
            "replicas: {mongodb: 2}",
            "replicas: 'mongodb' is no service of sync or async that can run in several instances; "
            "choose from: aggregator-service, cinema-cineworld-service,",
        ),
        ("cores_apart: -1", "cores_apart: -1: input should be greater than or equal to 0"),
        ("cores_apart: 1\nbackends: docker", "cores_apart: only of processes; the backends are"),
        ("replicas: {api-gateway-service: 2}", "replicas: 'api-gateway-service' is no service"),
        ("replicas: {cinema-ucd-service: 0}", "replicas.cinema-ucd-service: 0: input should be"),
        ("replicas: {cinema-ucd-service: 21}", "replicas.cinema-ucd-service: 21: input should be"),
        (
            "limits: {ucd: {cpus: 1}}",
            "limits: 'ucd' is no service of sync or async that can be limited; choose from: eureka",
        ),
        ("limits: {eureka-server: {cpus: 0}}", "limits.eureka-server.cpus: 0: input should be"),
        ("limits: {eureka-server: {memory_mb: 63}}", "limits.eureka-server.memory_mb: 63: "),
        ("limits: {eureka-server: {}}", "limits.eureka-server: give cpus, memory_mb or both"),
        (
            "limits: {eureka-server: {cpu: 1}}",
            "limits.eureka-server.cpu: unknown key (did you mean cpus?); choose from: cpus, memory",
        ),
        (
            "systems: {a: {variant: async, replicas: {aggregator-service: 2}}}",
            "systems.a: replicas: 'aggregator-service' is no service of async that can run",
        ),
        (
            "systems: {a: {variant: async, limits: {broker-service: {cpu: 2}}}}",
            "systems.a.limits.broker-service.cpu: unknown key (did you mean cpus?); choose from",
        ),
        (
            "systems: {a: {variant: sync, autoscale: {service: ucd, rule: hpa, max: 3}}}",
            "systems.a: autoscale: 'ucd' is no service of sync that can run in several instances",
        ),
        (
            SCALED.format("rule: hpa, max: 1"),
            "systems.a.autoscale: max: 1 is not above min (1)",
        ),
        (
            SCALED.format("rule: often, max: 3"),
            "systems.a.autoscale.rule: 'often': choose from: hpa, alarm",
        ),
        (
            SCALED.format("rule: alarm, max: 3, above: 0.3, below: 0.3"),
            "systems.a.autoscale: below: 0.3 is not below above (0.3)",
        ),
        (
            SCALED.format("rule: hpa, max: 3"),
            "systems.a.autoscale: the utilisation of cinema-ucd-service is a share of its limit: "
            "give limits: {cinema-ucd-service: {cpus: ...}}",
        ),
        (
            SCALED.format("rule: hpa, max: 3") + LIMITED + "replicas: {cinema-ucd-service: 2}\n",
            "systems.a.autoscale and replicas of cinema-ucd-service exclude each other",
        ),
        (
            SCALED.format("rule: hpa, max: 3") + LIMITED + "backends: docker\n",
            "systems.a.autoscale: for services as processes: backends embedded or local",
        ),
        (
            SCALED.format("rule: hpa, max: 3")
            + LIMITED
            + "disturb: {service: cinema-dundrum-service, at: 1}\n",
            "systems.a.autoscale: not with blocks, demand or disturb",
        ),
        (
            SCALED.format("rule: hpa, max: 3, above: 0.5"),
            "systems.a.autoscale.above and hpa exclude each other",
        ),
        (
            BOTH_SCALED.format("beans-service", "rule: hpa, max: 3"),
            "systems.a.autoscale: beans-service is given more than once",
        ),
        (
            BOTH_SCALED.format("api-gateway-service", "rule: hpa, max: 3"),
            "systems.a: autoscale: 'api-gateway-service' is no service of market-services that can "
            "run in several instances; choose from: beans-service, inventory-service",
        ),
        (
            BOTH_SCALED.format("inventory-service", "rule: hpa, max: 3"),
            "systems.a.autoscale: the utilisation of inventory-service is a share of its limit",
        ),
        (
            BOTH_SCALED.format("inventory-service", "rule: often, max: 3"),
            "systems.a.autoscale[1].rule: 'often': choose from: hpa, alarm",
        ),
        (
            BOTH_SCALED.format("inventory-service", "rule: hpa, max: 3, above: 0.5"),
            "systems.a.autoscale[1].above and hpa exclude each other",
        ),
        (
            "variants: [sync, poster-chain]",
            "workloads: these systems share no default workload: name some",
        ),
        (
            "systems: {a: {variant: cinema-direct, autoscale: {service: cinema-cineworld-service, "
            "rule: hpa, max: 3}}}\nworkloads: [reserve]",
            "autoscale: cinema-cineworld-service is the front door, whose instances the load asks",
        ),
        ("factors: {stored: [0, -1]}", "stored: '-1': choose 0 to 10000000"),
        ("factors: {replicas.cinemas: [0]}", "replicas.cinemas: '0': choose 1 to 20"),
        (
            "systems: {a: {variant: poster-chain, stored: 5}}\nworkloads: [poster]",
            "stored: poster-chain does not declare what is stored",
        ),
        ("factors: {replicas.cinema-ucd-service: [1, 0]}", "replicas.cinema-ucd-service: '0': ch"),
        ("factors: {replicas.cinema-ucd-service: [1, 1.5]}", "'1.5': choose 1 to 20"),
        (
            "factors: {replicas.aggregator-service: [1, 2]}",
            "replicas: 'aggregator-service' is no service of async",
        ),
    ],
)
def test_names_key_value_and_choices(line: str, message: str) -> None:
    keys = {key_line.split(":")[0] for key_line in line.splitlines()}
    rest = [key_line for key_line in VALID.splitlines() if key_line.split(":")[0] not in keys]

    assert message in error("\n".join([*rest, line]))


def test_tells_every_fault_at_once() -> None:
    message = error("name: mine\nvariants: [x]\nthreads: [0]\nloops: 1\n")

    assert "mine.yaml is not a valid experiment" in message
    assert "variants[0]" in message
    assert "threads[0]" in message


def test_a_system_that_runs_already_has_no_settings_of_the_experiment() -> None:
    (system,) = reading.parse(
        f"{VALID}systems: {{a: {{variant: sync, target: 'http://host:80/'}}}}\n", "mine.yaml"
    ).compared

    assert (system.target, system.settings) == ("http://host:80", {})
    assert system.deployed == {"target": "http://host:80"}


def test_what_a_system_is_beside_its_settings_is_recorded() -> None:
    plan = reading.parse(
        "name: mine\nthreads: [1]\nloops: 1\nvariants: [sync]\n"
        "factors: {stored: [0, 100], replicas.cinemas: [6]}\n",
        "mine.yaml",
    )
    empty, full = plan.compared

    assert (empty.name, full.name) == ("sync-0-6", "sync-100-6")
    assert empty.deployed == {"replicas.cinemas": "6"}
    assert full.deployed == {"replicas.cinemas": "6", "stored": "100"}
    older = reading.parse(f"{VALID}systems: {{a: {{variant: sync, jars: old}}}}\n", "mine.yaml")
    assert older.system("a").deployed == {"jars": "old"}
    assert reading.parse(older.to_yaml(), "experiment.yaml") == older


def test_a_workload_that_must_be_named_is_measured_only_then() -> None:
    assert "movies" not in reading.parse(VALID, "mine.yaml").workloads
    assert reading.parse(f"{VALID}workloads: [movies]", "mine.yaml").workloads == ("movies",)


OPEN = "name: mine\nrates: [10]\nduration: 5\n"
BLOCKS = "name: mine\nthreads: [1]\nblocks: {}\n"
BURST = "name: mine\nburst: {arrivals: 1000, over: 2}\n"
DEMAND = (
    "name: mine\nthreads: [10]\nduration: 5\n"
    "demand: {cpus: {from: 0.1, to: 1.2, resolution: 0.05}, target: {ok_per_s: 5}}\n"
)
PHASES = "name: mine\nschedule: {{kind: phases, phases: [{}]}}\n"
SEARCH = "name: mine\nduration: 5\nsearch: {from: 10, to: 100, resolution: 5}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: mine\nrates: [10]\nloops: 3\n", "duration: field required"),
        (OPEN + "loops: 3\n", "loops: 3: an open loop has none; its end is the duration"),
        (
            OPEN + "arrivals: random\n",
            "arrivals: 'random': input should be 'poisson' or 'constant'",
        ),
        ("name: mine\nthreads: [1]\n", "give blocks, loops or duration"),
        ("name: mine\nloops: 1\n", "give threads, rates, schedule, burst or search"),
        (VALID + "systems: {a: {variant: sync, until: 2026-02-30}}", "day is out of range"),
        ("- 1\n- 2\n", "is not an experiment"),
        (OPEN.replace("[10]", "[0]"), "rates[0]: 0"),
        (
            OPEN.replace("[10]", "[10, 1.5]"),
            "1.5 arrivals/s are 7.5 in the 5 s of a load; at least 10 are needed",
        ),
        (BLOCKS + "rates: [0.1]\n", "0.1 arrivals/s are 0.8 in the 8 s of a load"),
        (
            BLOCKS + "rates: [150%]\n",
            "rates[0]: '150%': give operations/s up to 100,000, such as 200, or a share from 1% to",
        ),
        (BLOCKS + "rates: [50, true]\n", "rates[1]: True: give operations/s up to 100,000"),
        (
            SEARCH.replace("from: 10", "from: 1") + "slo: {p95_ms: 9}\n",
            "1 arrivals/s are 5 in the 5 s of a load",
        ),
        (OPEN + "max_in_flight: 0\n", "max_in_flight: 0"),
        (
            VALID + "systems: {a: {variant: sync, pages: empty}}\n",
            "pages: no plan of sync for list or reserve reads it",
        ),
        (
            VALID + "systems: {a: {variant: market-services, pages: long}}\nworkloads: [read]\n",
            "systems.a.pages: 'long': input should be 'short' or 'empty'",
        ),
        (
            "name: mine\nschedule: {kind: step, from: 1, to: 2}\n",
            "schedule.kind: 'step': input should be 'phases'",
        ),
        ("name: mine\nschedule: {from: 1, to: 2}\n", "schedule.phases: field required"),
        (PHASES.format(""), "schedule.phases: []: give at least 1"),
        (PHASES.format("{rate: -1, for: 3}"), "schedule.phases[0].rate: -1: input should be great"),
        (
            PHASES.format("{rate: .inf, for: 3}"),
            "schedule.phases[0].rate: inf: input should be a f",
        ),
        (PHASES.format("{rate: 1, for: 0}"), "schedule.phases[0].for: 0: input should be greater"),
        (
            PHASES.format("{rate: 1, from: 2, to: 3, for: 5}"),
            "schedule.phases[0]: rate: 1, from: 2, to: 3: give rate, or from and to",
        ),
        (
            PHASES.format("{rate: 1, for: 5}, {from: 2, for: 5}"),
            "schedule.phases[1]: from: 2: give rate, or from and to",
        ),
        (PHASES.format("{for: 5}"), "schedule.phases[0]: no rate: give rate, or from and to"),
        (
            PHASES.format("{rate: 0, for: 5}, {from: 0, to: 0, for: 5}"),
            "schedule: phases: 0 arrivals; at least 10 are needed",
        ),
        (
            PHASES.format("{rate: 1, fro: 5}"),
            "schedule.phases[0].fro: unknown key (did you mean from?); choose from: rate, from, to",
        ),
        (
            PHASES.format("{rate: 1, for: 5}").replace("kind:", "every: 1, kind:"),
            "schedule.every: unknown key; choose from: kind, phases",
        ),
        (
            PHASES.format("{rate: 1, for: 5}") + "duration: 9\n",
            "duration and schedule exclude each other",
        ),
        (
            VALID + "schedule: {kind: phases, phases: [{rate: 1, for: 5}]}\n",
            "threads and schedule exclude each other",
        ),
        (
            OPEN + "schedule: {kind: phases, phases: [{rate: 1, for: 5}]}\n",
            "rates and schedule exclude each other",
        ),
        (SEARCH, "slo: field required"),
        (SEARCH + "slo: {p95_ms: 9}\nprecision: {}\n", "precision and search exclude each other"),
        (SEARCH + "slo: {p95_ms: 9}\nrepetitions: 3\n", "repetitions: 3: input should be 1"),
        (SEARCH + "slo: {p95_ms: 0}\n", "slo.p95_ms: 0"),
        (SEARCH + "slo: {p95: 9}\n", "slo.p95: unknown key (did you mean p95_ms?)"),
        (SEARCH + "rates: [1]\nslo: {p95_ms: 9}\n", "rates and search exclude each other"),
        (
            "name: mine\nduration: 5\nslo: {p95_ms: 9}\nsearch: {from: 9, to: 3, resolution: 1}\n",
            "to: 3 is not above from (9)",
        ),
        (
            VALID + "precision: {figure: p99_ms}\n",
            "precision.figure: 'p99_ms': input should be 'ok_per_s', 'p95_ms', 'cpu_ms_per_ok' or",
        ),
        (BURST + "duration: 3\n", "duration and burst exclude each other"),
        (BURST + "threads: [1]\n", "threads and burst exclude each other"),
        ("name: mine\nburst: {arrivals: 1, over: 2}\n", "burst.arrivals: 1"),
        (BURST + "drain: 60\n", "drain: sync has no ledger of what it accepted"),
        (BLOCKS + "drain: 60\n", "drain and blocks exclude each other"),
        (
            OPEN + "disturb: {service: cinema-ucd-service, at: 1, for: 2}\ndrain: 60\n",
            "drain and disturb exclude each other: give one",
        ),
        (DEMAND + "loops: 3\n", "loops and demand exclude each other"),
        (DEMAND + "repetitions: 3\n", "repetitions: 3: input should be 1"),
        (
            DEMAND.replace("{ok_per_s: 5}", "{goodput_of: sync}"),
            "demand.target: give ok_per_s, or goodput_of and cpus",
        ),
        (DEMAND.replace("{ok_per_s: 5}", "{}"), "demand.target: give ok_per_s, or goodput_of"),
        (
            DEMAND.replace("{ok_per_s: 5}", "{goodput_of: chain, cpus: 1}"),
            "demand.target.goodput_of: 'chain': choose from: sync, async",
        ),
        (DEMAND.replace("to: 1.2", "to: 0.1"), "to: 0.1 is not above from (0.1)"),
        (
            DEMAND + "limits: {cinema-ucd-service: {cpus: 1}}\n",
            "limits: cpus and demand exclude each other",
        ),
        (VALID + "precision: {within: 1}\n", "precision.within: 1"),
        (VALID + "blocks: {}\n", "loops and blocks exclude each other"),
        (OPEN + "blocks: {}\n", "duration and blocks exclude each other"),
        (BLOCKS.replace("{}", "{each: 3}"), "blocks.each: 3: input should be a multiple of 2"),
        (BLOCKS.replace("{}", "{seconds: 2}"), "blocks: settle: 2 s leaves nothing of 2 s"),
        (BLOCKS.replace("{}", "{setle: 2}"), "blocks.setle: unknown key (did you mean settle?)"),
        (VALID + "together: pairs\n", "together: 'pairs': only with blocks"),
        (
            BLOCKS + "generators: 2\n",
            "generators: sync has 2; the fewest users of a load are 1",
        ),
        (
            OPEN + "systems: {a: {variant: sync, generators: 3}}\nmax_in_flight: 2\n",
            "generators: a has 3; the fewest users of a load are 2",
        ),
        (
            OPEN + "warmup: {threads: 3}\ngenerators: 4\n",
            "generators: sync has 4; the fewest users of a load are 3",
        ),
        (DEMAND + "generators: 2\n", "generators: sync has 2; the fewest users of a load are 1"),
        (BLOCKS + "generators: 0\n", "generators: 0: input should be greater than or equal to 1"),
        (BLOCKS + "groups: [[sync, asink]]\n", "groups: 'asink': choose from: sync, async"),
        (BLOCKS + "groups: [[sync]]\n", "groups[0]"),
        (VALID + "precision: {}\nrepetitions: 3\n", "repetitions and precision exclude each other"),
        (VALID + "precision: {}\nvariants: [sync]\n", "precision: needs two systems"),
        (
            VALID + "systems: {a: {variant: asyn}}\n",
            "systems.a.variant: 'asyn' is unknown; choose from: sync, async",
        ),
        (
            VALID + "systems: {a: {variant: async, puse: 1}}\n",
            "systems.a.puse: unknown key (did you mean pause?); choose from: variant, preset,",
        ),
        (
            VALID + "systems: {a: {variant: sync, pause: 1}}\n",
            "systems.a: pause: sync answers at once",
        ),
        (VALID + "systems: {A: {variant: sync}}\n", "systems.A: 'A'"),
        (VALID + "systems: {a: {variant: sync, scrape: 0}}\n", "systems.a.scrape: 0: "),
        (
            VALID + "variants: [sync]\nsystems: {a: {variant: sync}}\n",
            "variants and systems exclude each other",
        ),
        (VALID + "factors: {fan-out: [a]}\n", "factors.fan-out: 'fan-out'"),
        (VALID + "factors: {FAN_OUT: []}\n", "factors.FAN_OUT"),
        (VALID + "factors: {X: [a-b, a_b]}\n", "two systems would be called async-a-b, sync-a-b"),
        (
            OPEN + "disturb: {service: cinema-odeon-service, at: 1, for: 1}\n",
            "disturb.service: 'cinema-odeon-service' cannot be suspended in every system; choose "
            "from: cinema-cineworld-service, cinema-dundrum-service, cinema-ucd-service",
        ),
        (
            OPEN + "disturb: {service: cinema-ucd-service, at: 4, for: 2}\n",
            "disturb: ends after 6 s, later than the run (5 s)",
        ),
    ],
)
def test_names_what_is_wrong_with_loads_and_systems(text: str, message: str) -> None:
    # A key that is given twice counts once, the last time.
    assert message in error(text)


@pytest.mark.parametrize(
    "text",
    [
        OPEN + "systems: {a: {variant: async, pause: 5}, b: {variant: sync}}\n",
        OPEN + "systems: {a: {variant: sync, scrape: 5}, b: {variant: sync, settings: {C: ''}}}\n",
        OPEN + "disturb: {service: cinema-ucd-service, at: 1, for: 2}\n",
        OPEN + "generators: 3\nsystems: {a: {variant: sync, generators: 2}, b: {variant: sync}}\n",
        VALID + "replicas: {cinema-ucd-service: 2}\nlimits: {broker-service: {cpus: 0.5}}\n",
        VALID + "cores_apart: 1\n",
        VALID + "factors: {replicas.cinema-ucd-service: [1, 3]}\novercommit: true\n",
        VALID
        + "systems: {a: {variant: sync, replicas: {aggregator-service: 2}, "
        + "limits: {aggregator-service: {memory_mb: 256}}}}\n",
        SEARCH + "slo: {p95_ms: 200}\n",
        BURST + "arrivals: constant\n",
        DEMAND,
        DEMAND.replace("{ok_per_s: 5}", "{goodput_of: sync, cpus: 0.6, within: 0.05}")
        + "limits: {cinema-ucd-service: {memory_mb: 300}}\n",
        VALID + "precision: {within: 0.1}\nfactors: {FAN_OUT: [parallel, 1]}\n",
        BLOCKS + "groups: [[sync, async]]\ntogether: pairs\nseed: 3\n",
        PHASES.format("{from: 1, to: 10, for: 30}, {rate: 10, for: 120}"),
        VALID + "systems: {a: {variant: market-services, pages: empty}}\nworkloads: [read]\n",
    ],
)
def test_every_kind_reads_back_the_same(text: str) -> None:
    plan = reading.parse(text, "mine.yaml")

    assert reading.parse(plan.to_yaml(), "experiment.yaml") == plan


def test_keys_are_changed_as_a_file_would_change_them() -> None:
    plan = reading.parse(VALID + "repetitions: 3\n", "mine.yaml")

    assert reading.changed(plan, repetitions=5).repetitions == 5
    precise = reading.changed(plan, precision={"within": 0.2})
    assert precise.precision is not None
    assert precise.precision.within == 0.2
    with pytest.raises(UserError, match="repetitions: 0"):
        reading.changed(plan, repetitions=0)


def test_a_system_has_as_many_generators_as_the_experiment_or_its_own() -> None:
    systems = "systems: {a: {variant: sync}, b: {variant: sync, generators: 3}}\n"
    plan = reading.parse(OPEN + "generators: 2\n" + systems, "mine.yaml")

    assert [system.generators for system in plan.compared] == [2, 3]
    assert [system.generators for system in reading.parse(VALID, "mine.yaml").compared] == [1, 1]


def test_systems_are_called_by_what_tells_them_apart() -> None:
    def names(text: str) -> list[str]:
        return [system.name for system in reading.parse(VALID + text, "mine.yaml").compared]

    assert names("") == ["sync", "async"]
    assert names("presets: [tuned, thesis]\n") == [
        "sync-tuned",
        "sync-thesis",
        "async-tuned",
        "async-thesis",
    ]
    assert names("variants: [sync]\nfactors: {FAN_OUT: [parallel, sequential], N: [1, 2]}\n") == [
        "sync-parallel-1",
        "sync-parallel-2",
        "sync-sequential-1",
        "sync-sequential-2",
    ]
    assert names("systems: {left: {variant: sync}, right: {variant: sync}}\n") == ["left", "right"]


def test_a_system_has_the_settings_of_the_experiment_its_own_and_its_factors() -> None:
    plan = reading.parse(
        VALID
        + "settings: {A: 1, B: 1, C: 1}\n"
        + "systems: {mine: {variant: async, preset: thesis, settings: {B: 2, C: 2}, "
        + "pause: 10, scrape: 5}}\n"
        + "factors: {C: [3]}\n",
        "mine.yaml",
    )
    (system,) = plan.compared

    assert system.settings == {"ACCESS_CONTROL": "off", "A": "1", "B": "2", "C": "3"}
    assert system.properties == {"fetch": "immediate", "pause": "10"}
    assert system.scrape == 5
    assert plan.system("mine-3") == system


def test_a_system_may_have_keys_and_days_of_its_reservations() -> None:
    systems = (
        "systems: {one: {variant: sync, keys: true, until: 2032-04-15}, two: {variant: sync}}\n"
    )
    first, two = reading.parse(VALID + systems, "mine.yaml").compared

    assert first.properties == {"keys": "on", "until": "2032-04-15"}
    assert two.properties == {}


@pytest.mark.parametrize("varied", ["keys: true", "until: 2032-04-15"])
def test_what_no_plan_sends_is_refused(varied: str) -> None:
    system = f"systems: {{one: {{variant: sync, {varied}}}}}\n"
    key = varied.split(":")[0]

    assert f"{key}: no plan of sync for list reads it" in error(
        f"{VALID}workloads: [list]\n{system}"
    )
    assert reading.parse(f"{VALID}workloads: [list, reserve]\n{system}", "mine.yaml")


def test_a_system_with_an_autoscaler_may_have_all_of_its_instances() -> None:
    plan = reading.parse(VALID + LIMITED + SCALED.format("rule: hpa, min: 2, max: 5"), "mine.yaml")
    (system,) = plan.compared

    assert system.replicas == {"cinema-ucd-service": 5}
    assert system.deployed == {
        "replicas.cinema-ucd-service": "2 to 5 by hpa",
        "limits.cinema-ucd-service.cpus": "0.2",
    }
    assert system.cpus == pytest.approx(1.0)
    assert reading.parse(plan.to_yaml(), "experiment.yaml") == plan


def test_a_system_may_have_a_rule_for_each_of_several_services() -> None:
    limited = BOTH_SCALED.replace("0.2", "0.2}}, inventory-service: {{cpus: 0.1")
    text = limited.format("inventory-service", "rule: hpa, max: 3")
    plan = reading.parse(VALID + text, "mine.yaml")
    (system,) = plan.compared

    assert system.replicas == {"beans-service": 2, "inventory-service": 3}
    assert system.deployed["replicas.beans-service"] == "1 to 2 by alarm"
    assert system.deployed["replicas.inventory-service"] == "1 to 3 by hpa"
    # All that there may be at once.
    assert system.cpus == pytest.approx(0.7)
    assert reading.parse(plan.to_yaml(), "experiment.yaml") == plan


@pytest.mark.parametrize(
    "keys",
    [
        "settings: {ACCESS_CONTROL: required}\n",
        "systems: {mine: {variant: sync, settings: {ACCESS_CONTROL: required}}}\n",
        "factors: {ACCESS_CONTROL: [required]}\n",
    ],
)
def test_an_experiment_may_set_what_systems_are_measured_without(keys: str) -> None:
    plan = reading.parse(VALID + keys, "mine.yaml")

    assert {system.settings["ACCESS_CONTROL"] for system in plan.compared} == {"required"}


def test_a_system_has_the_instances_and_limits_of_the_experiment_its_own_and_its_factors() -> None:
    plan = reading.parse(
        VALID
        + "replicas: {aggregator-service: 2, cinema-ucd-service: 2, cinema-dundrum-service: 2}\n"
        + "limits: {api-gateway-service: {cpus: 1}, cinema-ucd-service: {cpus: 1}}\n"
        + "systems: {a: {variant: sync, replicas: {cinema-dundrum-service: 3}}, b: {variant: async,"
        + " limits: {cinema-ucd-service: {memory_mb: 256}}}}\n"
        + "factors: {replicas.cinema-ucd-service: [4], CINEMA_HANDICAP: [1ms]}\n",
        "mine.yaml",
    )
    sync, asynchronous = plan.compared

    cinemas = {"cinema-ucd-service": 4, "cinema-dundrum-service": 3}
    assert sync.name == "a-4-1ms"
    assert sync.settings == {"ACCESS_CONTROL": "off", "CINEMA_HANDICAP": "1ms"}
    assert sync.replicas == {**cinemas, "aggregator-service": 2}
    assert asynchronous.replicas == {"cinema-ucd-service": 4, "cinema-dundrum-service": 2}
    one_core = ServiceLimits(cpus=1)
    assert sync.limits == {"api-gateway-service": one_core, "cinema-ucd-service": one_core}
    assert asynchronous.limits == {"cinema-ucd-service": ServiceLimits(memory_mb=256)}
    assert sync.cpus == 5
    assert asynchronous.deployed == {
        "replicas.cinema-ucd-service": "4",
        "replicas.cinema-dundrum-service": "2",
        "limits.cinema-ucd-service.memory_mb": "256",
    }


@pytest.mark.parametrize("text", ["name: [unclosed", "a: b: c", "\tname: x"])
def test_names_the_line_of_broken_yaml(text: str) -> None:
    assert "mine.yaml, line" in error(text)


def test_the_preset_decides_how_results_are_fetched() -> None:
    both = VALID + "presets: [tuned, thesis]\nvariants: [async]\n"
    plan = reading.parse(both, "mine.yaml")
    polled = reading.parse(both + "fetch: poll\n", "mine.yaml")

    assert [system.fetch for system in plan.compared] == ["wait", "immediate"]
    assert [system.fetch for system in polled.compared] == ["poll", "poll"]


def test_nothing_is_fetched_from_the_synchronous_variant() -> None:
    plan = reading.parse(VALID + "fetch: poll\n", "mine.yaml")
    fetches = {system.variant: (system.fetch, dict(system.properties)) for system in plan.compared}

    assert fetches == {"sync": (None, {}), "async": ("poll", {"fetch": "poll"})}
    assert "fetch: 'poll': these systems answer at once" in error(
        VALID + "variants: [sync]\nfetch: poll\n"
    )


def test_an_unknown_experiment_lists_those_that_ship(project: Project) -> None:
    project.experiments.mkdir()
    (project.experiments / "quick.yaml").write_text(VALID)

    with pytest.raises(UserError) as refused:
        reading.load(project, "quik")

    assert "'quik'" in refused.value.message
    assert refused.value.hint == "There are: quick."
    assert reading.load(project, "quick").name == "mine"


def test_an_experiment_is_found_by_its_path(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.yaml"
    file.write_text(VALID)

    assert reading.load(project, str(file)).name == "mine"


@pytest.mark.parametrize("name", ["quick", "compare", "hundred"])
def test_those_that_ship_measure_both_variants_under_both_workloads(name: str) -> None:
    plan = reading.load(Project.find(), name)

    assert plan.name == name
    assert set(plan.variants) == {"sync", "async"}
    assert set(plan.workloads) == {"list", "reserve"}


def test_a_file_that_is_no_text_is_told(project: Project, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(VALID.encode() + b"description: caf\xe9\n")

    with pytest.raises(UserError, match=r"mine\.yaml is not text in UTF-8"):
        reading.load(project, str(tmp_path / "mine.yaml"))
