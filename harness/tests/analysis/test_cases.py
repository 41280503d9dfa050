"""Case studies: least CPU, accounts, claims about them, and their part of the report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testbed.analysis import accounts, demands
from testbed.analysis.claims.claim import Claim, Evidence, verdict
from testbed.analysis.claims.examining import KINDS
from testbed.analysis.claims.levels import levels_of
from testbed.analysis.claims.reading import cases
from testbed.analysis.claims.run_kinds import fits
from testbed.analysis.decisions import decide, references
from testbed.analysis.prices import price_lists
from testbed.analysis.results import Arrivals, Cell, Run
from testbed.analysis.samples import load
from testbed.analysis.sections import answer, demand, spread
from testbed.analysis.sections import cases as sections
from testbed.analysis.verdicts import Judged, judge_all
from testbed.experiment.autoscaling import COLUMNS, FILE
from testbed.experiment.reading import load as read_experiment
from testbed.experiment.runs import System
from testbed.experiment.search import Bracket
from testbed.model.project import Project
from testbed.model.systems import Accepted, Ledger

from .synthetic import EPOCH_MS, examine, write_run

# CPU ms of an operation, by service.
COSTS: Mapping[str, Mapping[str, float]] = {
    "chain": {"adjuster": 30, "converter": 60, "labeler": 30},
    "composite": {"whole": 100},
}
VARIANT = {"chain": "poster-chain", "composite": "poster-composite"}
LEAST = {"chain": [0.6, 0.6, 0.65], "composite": [0.5, 0.5, 0.5]}
WORKS = ("Akbulut", "A2 Micro-Service Report", "Load-Balanced Replicated Services", "Moldovan 2025")
MEMORY_MB = {"chain": 150.0, "composite": 300.0}


def run(results: Path, name: str, **record: Any) -> None:
    loops, threads = record.pop("loops", 20), record.pop("threads", 10)
    write_run(
        results / "made",
        variant="sync",
        workload="poster",
        threads=threads,
        repetition=record["repetition"],
        loops=loops,
        record={"wall_s": 10.0, "generator_cpu_s": 0.1, "plan": "x.jmx", **record},
    ).rename(results / "runs" / name)


@pytest.fixture
def searched(tmp_path: Path) -> Judged:
    """Return a search of two systems, three times: chain at 0.6, 0.6 and 0.65 of 1.2 cores."""
    (tmp_path / "runs").mkdir()
    for system, costs in COSTS.items():
        for repetition in (1, 2, 3):
            common = {"variant": VARIANT[system], "repetition": repetition, "workload": "poster"}
            run(
                tmp_path,
                f"{system}-alone-{repetition}",
                **common,
                system=system,
                threads=1,
                server_cpu_s={name: 20 * ms / 1000 for name, ms in costs.items()} | {"queue": 9.0},
                demand={"system": system, "cpus": None, "shares": {}, "met": True, "wanted": None},
            )
            whole = sum(costs.values())
            for cpus in (1.2, LEAST[system][repetition - 1], LEAST[system][repetition - 1] - 0.05):
                met = cpus >= LEAST[system][repetition - 1]
                shares = {name: cpus * ms / whole for name, ms in costs.items()}
                run(
                    tmp_path,
                    f"{system}-{cpus:g}-{repetition}",
                    **common,
                    system=f"{system} at {cpus:g} cores",
                    server_cpu_s={name: 5 * share for name, share in shares.items()},
                    server_rss_mb=dict.fromkeys(costs, MEMORY_MB[system]),
                    server_throttled_s=dict.fromkeys(costs, 1.5),
                    demand={
                        "system": system,
                        "cpus": cpus,
                        "shares": shares,
                        "wanted": 5.0,
                        "ok_per_s": 5.0,
                        "met": met,
                    },
                )
    (tmp_path / "experiment.yaml").write_text("demand: {cpus: {from: 0.1}}\n")
    return judge_all(load(tmp_path))


def claim(kind: str, accept: tuple[float, float] = (0.0, 1.0), **fields: Any) -> Claim:
    given = {"id": "x", "source": "ours", "says": "so it is", "kind": kind, "accept": accept}
    return Claim(**given, **fields)


def sides(level: int = 10) -> dict[str, Any]:
    return {
        side: {"variant": VARIANT[system], "workload": "poster", "level": level}
        for side, system in (("over", "chain"), ("under", "composite"))
    }


def test_the_least_cpu_is_between_too_little_and_enough(searched: Judged) -> None:
    searches = {(search.system, search.repetition): search for search in demands.searches(searched)}

    assert searches["chain", 3].bracket == Bracket(0.65, pytest.approx(0.6))
    assert searches["composite", 1].memory_mb == 300
    assert searches["chain", 1].memory_mb == 450
    assert searches["chain", 1].utilisation == pytest.approx(0.5)
    assert searches["chain", 1].throttled_s == 4.5
    assert sum(cores for cores, _ in searches["chain", 1].parts.values()) == pytest.approx(0.6)
    assert not searches["chain", 1].contradicted


def test_a_disturbed_run_says_nothing_of_the_least_cpu(searched: Judged) -> None:
    (file,) = searched.results.path.glob("runs/chain-0.6-3/run.json")
    record = json.loads(file.read_text())
    disturbed = {"file": "samples.csv", "others": {"share": 0.4}, "counts": False}
    file.write_text(json.dumps(record | {"blocks": [record | disturbed]}))
    searches = demands.searches(judge_all(load(searched.results.path)))

    # It was too little, as far as it was measured.
    (third,) = [search for search in searches if (search.system, search.repetition) == ("chain", 3)]
    assert third.bracket.passed == 0.65
    assert third.bracket != Bracket(0.65, pytest.approx(0.6))


def test_a_single_thread_shows_what_each_service_costs(searched: Judged) -> None:
    chain, composite = (
        next(start for start in demands.alone(searched) if start.system == name) for name in COSTS
    )

    assert {name: chain.cpu_ms[name] for name in COSTS["chain"]} == pytest.approx(COSTS["chain"])
    assert composite.cpu_ms["whole"] == pytest.approx(100)
    # The converter has a sixth of the CPU, and needs half.
    assert chain.highest_rate({"adjuster": 0.25, "converter": 0.1, "labeler": 0.25}) == (
        pytest.approx(0.1 / 0.06)
    )


def test_a_demand_ratio_is_as_exact_as_the_searches(searched: Judged) -> None:
    evidence = examine(claim("demand ratio", figure="cpus", **sides()), searched)

    assert evidence.estimate == pytest.approx((0.6 * 0.6 * 0.65) ** (1 / 3) / 0.5)
    assert evidence.interval is not None
    assert (evidence.interval.low, evidence.interval.high) == pytest.approx(
        (0.55 / 0.5, 0.65 / 0.45)
    )
    assert evidence.runs == 3
    assert verdict(claim("demand ratio"), evidence) == "not replicated"
    memory = examine(claim("demand ratio", figure="memory_mb", **sides()), searched)
    assert memory.estimate == pytest.approx(1.5)


def test_a_level_without_a_search_is_missing(searched: Judged) -> None:
    both = {
        side: {**cell, "levels": [10, 20]} for side, cell in sides().items() if cell.pop("level")
    }
    evidence = examine(claim("demand ratio", (1.0, 2.0), figure="cpus", **both), searched)

    assert evidence.missing == [20]
    assert verdict(claim("demand ratio", (1.0, 2.0)), evidence) == "not decidable here"
    nothing = examine(claim("demand ratio", figure="cpus", **sides(50)), searched)
    assert nothing == Evidence(None, note="nothing usable")


def test_costs_are_those_of_the_parts(searched: Judged) -> None:
    over = sides()
    evidence = examine(
        claim("cost ratio", prices="fargate-2018-09", sizes="on sale", **over), searched
    )
    # Three of 0.25 or 0.5 vCPU with 0.5 or 1 GB against one of 0.5 vCPU with 1 GB.
    small, half = 0.25 * 0.0506 + 0.5 * 0.0127, 0.5 * 0.0506 + 0.0127
    assert evidence.estimate == pytest.approx(((2 * small + half) ** 3) ** (1 / 3) / half, rel=1e-6)


def test_utilisation_and_cpu_ratio_are_of_the_right_runs(searched: Judged) -> None:
    cell = {"variant": "poster-chain", "workload": "poster", "level": 10}
    used = examine(claim("utilisation", cell=cell), searched)
    assert (used.estimate, used.runs) == (pytest.approx(0.5), 3)
    cpu = examine(claim("cpu ratio", **sides()), searched)
    assert cpu.estimate is None, "a level belongs to runs of a search, which have limits"
    both = {
        side: {"variant": cell["variant"], "workload": "poster"} for side, cell in sides().items()
    }
    cpu = examine(claim("cpu ratio", **both), searched)
    assert (cpu.estimate, cpu.runs) == (pytest.approx(1.2), 3)


def test_a_published_split_is_set_against_the_best(searched: Judged) -> None:
    text = demand.published_split(searched, {"adjuster": 1, "converter": 5, "labeler": 1})

    # The adjuster has a seventh of a core for 30 ms.
    assert text == (
        "- chain, poster: one core, split as published (1 : 5 : 1), allows 4.8 operations per "
        "second; split by demand 8.3."
    )
    assert demand.published_split(searched, {}) == ""


def test_allocations_are_not_compared_as_systems(searched: Judged) -> None:
    assert references(searched.results) == []
    assert decide(searched) == []
    line = answer.first(searched, []).line
    assert re.match(r"poster, \d+ threads?: chain needs .* cores; composite needs .* cores\.", line)
    assert answer.title(searched) == "# chain and composite under load"
    assert spread.spread([searched]) == ""


def test_the_report_begins_with_the_published_table(searched: Judged) -> None:
    text = sections.studies(searched)

    published, ours, misfit = (
        text.index(words)
        for words in ("2560 MB, 2 × 4.0 GHz", "| 0.6, 0.6, 0.65 | 0.60 |", "What does not fit")
    )
    assert published < ours < misfit
    assert "| poster | chain | converter | 60.00 | 50.0 % | 16.7 |" in text
    assert "6 of 10 statements disagree" in text
    assert "**not replicated**: 1.23 × [1.10 ×,\N{NO-BREAK SPACE}1.44 ×]" in text


REPLICAS = "replicas.cinema-cineworld-service"


@pytest.fixture
def instances(tmp_path: Path) -> Judged:
    """Return results of one and five instances through the gateway, and of one without it.

    Response times are 2 ms and double from one thread to 18, and again to 100. Five instances halve
    those of many threads.
    """
    for system, variant, settings, few in (
        ("gateway-1", "sync", {}, 1.0),
        ("gateway-5", "sync", {REPLICAS: "5"}, 0.5),
        ("direct-1", "cinema-direct", {}, 1.0),
    ):
        for place, threads in enumerate((1, 18, 100)):
            for repetition in (1, 2, 3):
                cpu_s = 0.1 if variant == "sync" else 0.05
                write_run(
                    tmp_path / "made",
                    variant=variant,
                    workload="reserve",
                    threads=threads,
                    repetition=repetition,
                    loops=400,
                    median_ms=20 * 2**place * (few if threads > 1 else 1),
                    record={
                        "system": system,
                        "settings": settings,
                        "wall_s": 100.0,
                        "server_cpu_s": {"all": cpu_s * threads},
                    },
                ).rename(tmp_path / f"made/runs/{system}-{threads}-{repetition}")
    return judge_all(load(tmp_path / "made"))


def test_a_figure_is_held_between_levels_instances_and_systems(instances: Judged) -> None:
    fixed = {"variant": "sync", "workload": "reserve", "settings": {REPLICAS: None}}
    five = {**fixed, "settings": {REPLICAS: "5"}}

    def ratio(figure: str, over: Mapping[str, Any], under: Mapping[str, Any]) -> Evidence:
        return examine(claim("figure ratio", figure=figure, over=over, under=under), instances)

    rises = ratio("mean_ms", {**fixed, "levels": [18, 100]}, {**fixed, "level": 1})
    assert rises.estimate == pytest.approx(4, rel=0.1)
    assert "at 18 threads" in rises.note and "at 100 threads" in rises.note
    fewer = ratio("mean_ms", {**five, "level": 100}, {**fixed, "level": 100})
    assert fewer.estimate == pytest.approx(0.5, rel=0.1)
    assert fewer.runs == 3
    direct = {**fixed, "variant": "cinema-direct", "levels": [1, 18, 100]}
    dearer = ratio("cpu_ms_per_ok", {**fixed, "levels": [1, 18, 100]}, direct)
    assert dearer.estimate == pytest.approx(2)
    missing = ratio("mean_ms", {**five, "levels": [1, 141]}, {**fixed, "levels": [1, 141]})
    assert missing.missing == [141]
    nothing = ratio("mean_ms", {**five, "variant": "async", "level": 1}, {**fixed, "level": 1})
    assert nothing.estimate is None
    tail = {"figure": "p95_ms", "under_figure": "mean_ms"}
    at = {**fixed, "level": 100}
    evidence = examine(claim("figure ratio", **tail, over=at, under=at), instances)
    assert evidence.estimate == pytest.approx(1.78, rel=0.1)  # of a log-normal with sigma 0.4


def test_one_level_outside_refutes_a_claim_about_several(instances: Judged) -> None:
    cell = {"variant": "sync", "workload": "reserve", "settings": {REPLICAS: None}}
    over, under = {**cell, "levels": [18, 100]}, {**cell, "level": 1}
    about_two = claim("figure ratio", (1.5, 2.5), figure="mean_ms", over=over, under=under)

    evidence = examine(about_two, instances)

    # 2 at 18 threads, and 4 at 100: an interval over both would include 2.
    assert evidence.estimate == pytest.approx(4, rel=0.1)
    assert evidence.interval is not None
    assert evidence.interval.low > 2.5
    assert verdict(about_two, evidence) == "not replicated"


def test_a_run_that_served_nothing_leaves_no_ratio(instances: Judged) -> None:
    fixed = {"variant": "sync", "workload": "reserve", "settings": {REPLICAS: None}, "level": 100}
    five = {**fixed, "settings": {REPLICAS: "5"}}
    more = claim("figure ratio", (0.0, 9.0), figure="ok_per_s", over=five, under=fixed)
    assert examine(more, instances).estimate is not None
    write_run(
        instances.results.path,
        variant="sync",
        workload="reserve",
        threads=100,
        repetition=4,
        loops=400,
        failures={"rejected": 1.0},
        record={"system": "gateway-5", "settings": {REPLICAS: "5"}, "wall_s": 100.0},
    )

    assert examine(more, judge_all(load(instances.results.path))).note == "nothing usable"


def test_efficiency_stands_beside_goodput_at_every_level(instances: Judged) -> None:
    text = sections.studies(instances)

    assert "| reserve | gateway-1 | 1 | " in text
    (row,) = (line for line in text.splitlines() if line.startswith("| reserve | gateway-5 | 100"))
    assert 4_500 < float(row.split("|")[5].split("[")[0]) < 5_500
    assert "E_i on the mean is at least 100 % up to 94 threads" in text


LEDGER = Ledger(
    service="builder",
    path="/x",
    accepted=Accepted(databases="x", collection="y", number="z"),
    places={"LENGTH": 100},
)


@pytest.fixture
def bursts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judged:
    """Return three runs of 1000 arrivals at 1000/s, drained at 20/s from a queue of 100."""
    declared = SimpleNamespace(ledger=LEDGER, services=("builder",))
    monkeypatch.setattr(accounts, "declarations", lambda: {"sync": declared})
    for repetition in (1, 2, 3):
        folder = write_run(
            tmp_path,
            threads=1,
            loops=1000,
            repetition=repetition,
            median_ms=1,
            record={
                "settings": {"LENGTH": "100", "limits.builder.cpus": "0.4"},
                "server_cpu_s": {"builder": 1.0, "other": 5.0},
                "ledger": {
                    "accepted": 1000,
                    "built": 120,
                    "dropped": 0,
                    "dead-lettered": 0,
                    "queued": 0,
                    "lost": 880,
                    "refused": 0,
                    "twice": 0,
                    "strangers": 0,
                    "lost_by_third": [330, 330, 220],
                    "built_later": 100,
                    "drained_s": 5.0,
                    "built_per_s": 20.0,
                    "cpu_s": {"builder": 0.2},
                    "peak_mb": {"builder": 90.0},
                },
            },
        )
        last = 5 + repetition / 10
        (folder / "ledger.csv").write_text(
            f"number,id,outcome,built_s\n1,a,lost,\n2,b,built,{EPOCH_MS / 1000 + last:.3f}\n"
        )
    return judge_all(load(tmp_path))


def test_an_account_tells_what_was_lost_and_what_was_predicted(bursts: Judged) -> None:
    account, *_ = accounts.accounts(bursts)

    assert account.closed
    assert not replace(account, confirmed=999).closed
    assert not replace(account, wrong=1).closed
    assert not replace(account, queued=1).closed
    assert (account.offered, account.lost, account.places) == (1000, 880, 100)
    assert account.unserved_share == 0.88
    assert account.first_third == pytest.approx(0.375)
    # About 1.2 s of arrivals.
    assert account.predicted == pytest.approx(1 - 0.1 - 20 * 1.2 / 1000, abs=0.01)
    assert account.steady is None
    assert account.oldest_s == pytest.approx(5.1, abs=0.01)
    assert account.cpu_ms == pytest.approx(1200 / 120)
    assert account.peak_mb == 90


def test_the_rate_of_a_drain_is_not_known_of_a_few_tickets(bursts: Judged) -> None:
    measurement = bursts.used.measurements[0]
    ledger = {**(measurement.run.ledger or {}), "built_later": 19}
    account = accounts.account(replace(measurement, run=replace(measurement.run, ledger=ledger)))

    assert (account.drained_per_s, account.predicted, account.steady) == (None, None, None)


def test_losses_of_poisson_arrivals_are_predicted_for_each_rate(
    bursts: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, *_ = accounts.accounts(bursts)
    assert account.predicted

    def at(rate: float, share: float) -> accounts.Account:
        arrivals = Arrivals("poisson", account.offered)
        run = replace(account.run, cell=replace(account.run.cell, level=rate), arrivals=arrivals)
        return replace(account, run=run, lost=round(share * account.offered))

    near, far = account.predicted / 2, account.predicted
    measured = [at(55, near), at(55, 0), at(55, near), at(90, far), at(90, far), at(90, far)]
    monkeypatch.setattr(accounts, "accounts", lambda _: measured)
    cell = {"variant": "sync", "workload": "list", "arrivals": "poisson"}

    poisson = examine(claim("model", cell=cell, accept=(0.9, 1.1)), bursts)

    assert poisson.note == "0.33 at 55 per second, 1.00 at 90 per second"
    assert poisson.interval is not None
    # One of them lost nothing: an interval all the same.
    assert poisson.interval.low < 0 < poisson.interval.high
    cell["arrivals"] = "burst"
    assert examine(claim("model", cell=cell), bursts).estimate is None


@pytest.mark.parametrize(
    ("kind", "fields", "estimate"),
    [
        ("loss", {"figure": "lost"}, 0.88),
        ("loss", {"figure": "silent"}, 1),
        ("loss", {"figure": "first third"}, 0.375),
        ("model", {}, 1.0),
    ],
)
def test_losses_are_held_against_claims(
    bursts: Judged, kind: str, fields: Mapping[str, Any], estimate: float
) -> None:
    cell = {"variant": "sync", "workload": "list", "settings": {"LENGTH": "100"}}
    evidence = examine(claim(kind, cell=cell, **fields), bursts)

    assert evidence.estimate == pytest.approx(estimate, abs=0.01)
    assert evidence.runs == 3
    other = {**cell, "settings": {"LENGTH": "50"}}
    assert examine(claim(kind, cell=other, **fields), bursts).estimate is None


def test_a_builder_is_busy_from_the_first_request_to_the_last_result(bursts: Judged) -> None:
    cell = {"variant": "sync", "workload": "list", "service": "builder"}
    evidence = examine(claim("utilisation", cell=cell), bursts)

    # 1.2 s of CPU in about 1.2 s of load and 5 s of drain, of 0.4 cores.
    assert evidence.estimate == pytest.approx(1.2 / 6.2 / 0.4, rel=0.05)
    assert evidence.runs == 3


def test_the_cpu_of_what_was_built_may_be_that_of_one_service(bursts: Judged) -> None:
    cell = {"variant": "sync", "workload": "list"}
    builder, other = ({**cell, "service": name} for name in ("builder", "other"))
    evidence = examine(claim("cpu ratio", over=other, under=builder), bursts)

    assert (evidence.estimate, evidence.runs) == (pytest.approx(5 / 1.2), 3)
    same = examine(claim("cpu ratio", over=cell, under=builder), bursts)
    assert same.estimate == pytest.approx(1), "the system has one service of its own"


def test_accounts_without_a_case_study_have_a_part_of_their_own(bursts: Judged) -> None:
    text = sections.studies(bursts)

    assert text.startswith("## What became of accepted work")
    assert "| 1,000 | 0 | 1,000 | 120 | 880 |" in text


def test_tables_are_those_of_what_was_measured(searched: Judged) -> None:
    tables = sections.tables(searched)

    assert tables.keys() == {"searches", "case_claims"}
    row = tables["searches"].filter(system="chain", pair=3).row(0, named=True)
    assert (row["enough"], row["cpu_ms.converter"]) == (0.65, pytest.approx(60))
    assert row["cores.converter"] == pytest.approx(0.325)
    assert row["cores.whole"] is None
    ratio = tables["case_claims"].filter(claim="cpu-10").row(0, named=True)
    assert ratio["points_to"] in {"replicated", "not replicated"}


def test_each_account_is_a_row(bursts: Judged) -> None:
    tables = sections.tables(bursts)

    assert tables.keys() == {"accounts"}
    assert tables["accounts"]["lost"].to_list() == [880, 880, 880]
    assert tables["accounts"]["closed"].all()


def test_every_case_study_is_complete_and_its_claims_are_known() -> None:
    claims = [claim for case in cases() for claim in case.claims]

    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.kind in KINDS
        assert claim.source == "ours" or claim.source.startswith(WORKS)
        assert (claim.accept is None) == (claim.kind in {"none", "efficiency"})
        if claim.kind == "none":
            assert claim.fields["why"]
        assert claim.fields.get("prices") in {None, *price_lists()}
    for case in cases():
        assert all(len(row) == len(case.table.columns) for row in case.table.rows)


MARKET = ("market", "market-sessions", "market-fetch", "market-causes", "market-demand")
"""The experiments that decide claims of the market."""


def test_each_cell_of_the_market_is_one_system_of_one_experiment() -> None:
    """A setting that is misspelt would leave its claim without a run."""
    measured = [
        (experiment, system, run)
        for experiment in (read_experiment(Project.find(), name) for name in MARKET)
        for system in experiment.compared
        for workload in experiment.workloads
        for level in ({level.value for level in experiment.levels} or experiment.threads)
        for run in (_declared(system, workload, level),)
    ]
    claims = [claim for case in cases() if case.name == "market" for claim in case.claims]
    cells = [
        (claim, {**cell, "level": level})
        for claim in claims
        for cell in (claim.fields.get(side) for side in ("over", "under", "cell"))
        if cell
        for level in levels_of(cell)
    ]
    for claim, cell in cells:
        searched = claim.kind in ("demand ratio", "cost ratio")
        fitting = [
            f"{experiment.name}: {system.name}"
            for experiment, system, run in measured
            if experiment.searches == searched and fits(run, cell)
        ]
        assert len(fitting) == 1, f"{claim.id}, {cell}: {fitting}"


def _declared(system: System, workload: str, level: float) -> Run:
    cell = Cell(system.variant, workload, system.preset, "embedded", 1, level=level)
    return Run("x", cell, (), settings={**system.settings, **system.deployed})


def test_no_search_and_no_other_split_speaks_of_equal_cpu() -> None:
    cell = claim_of("equal-cpu-page").fields["over"]
    for name in ("market-demand", "market-neighbour", "market-fetch", "market-tokens"):
        systems = read_experiment(Project.find(), name).compared
        runs = [_declared(system, "page", level) for system in systems for level in (10, 50)]
        assert not [run for run in runs if fits(run, {**cell, "level": run.cell.level})]


def claim_of(id_: str) -> Claim:
    return next(claim for case in cases() for claim in case.claims if claim.id == id_)


def test_systems_of_one_variant_differ_in_their_settings(tmp_path: Path) -> None:
    """A larger pool leaves the mean of 100 ms, more CPU takes it to a fifth."""
    usual = claim_of("pool-cause").fields["under"]["settings"]
    changes = {
        "monolith": (100, {}),
        "pool": (100, {"SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE": "100"}),
        "cpu": (20, {"limits.market-service.cpus": "0.6"}),
    }
    for system, (median_ms, settings) in changes.items():
        for repetition in (1, 2, 3):
            write_run(
                tmp_path / "made",
                variant="market-monolith",
                workload="read",
                repetition=repetition,
                median_ms=median_ms,
                record={"system": system, "level": 55, "settings": {**usual, **settings}},
            ).rename(tmp_path / f"made/runs/{system}-{repetition}")
    judged = judge_all(load(tmp_path / "made"))

    verdicts = {
        id_: verdict(claim_of(id_), examine(claim_of(id_), judged))
        for id_ in ("pool-cause", "cpu-cause", "two-databases")
    }
    assert verdicts == {
        "pool-cause": "not replicated",
        "cpu-cause": "replicated",
        "two-databases": "not decidable here",
    }


def test_the_share_of_failed_exchanges_is_not_that_of_sessions(tmp_path: Path) -> None:
    """Each operation has two, of which one fails in a tenth of them."""
    for repetition in (1, 2, 3):
        write_run(
            tmp_path, variant="async", repetition=repetition, loops=500, failures={"rejected": 0.1}
        )
    judged = judge_all(load(tmp_path))
    cell = {"variant": "async", "workload": "list", "level": 10}

    evidence = examine(claim("failed exchanges", cell=cell), judged)

    assert evidence.runs == 3
    assert evidence.estimate == pytest.approx(0.05, rel=0.1)
    assert examine(claim("failed exchanges", cell=cell | {"level": 7}), judged).estimate is None


def test_a_case_without_tables_of_its_own_has_its_claims(tmp_path: Path) -> None:
    limit = {"limits.market-service.cpus": "0.6"}
    for variant, settings in (("market-monolith", limit), ("market-services", {})):
        record = {"settings": settings}
        write_run(tmp_path / "made", variant=variant, workload="page", record=record)

    text = sections.studies(judge_all(load(tmp_path / "made")))

    assert "## A market as a monolith and as services" in text
    assert "| read |" in text
    assert "a page of beans costs more CPU in services" in text
    assert "read: the services serve" not in text
    assert " more of its claims are about loads that were not put on here." in text
    assert "**Here.**" not in text
    assert "The published figures against each other" not in text


SERVICE = "cinema-cineworld-service"


@pytest.fixture
def replicas(tmp_path: Path) -> Judged:
    """Return runs of two minutes with three instances, and with one that an autoscaler adds to."""
    scaling = {"service": SERVICE, "rule": "hpa", "least": 1, "most": 3, "instance_s": 240.0}
    for system, count, median_ms, record in (
        ("three", "3", 20, {}),
        ("scaled", "1 to 3 by hpa", 40, {"scaling": scaling}),
    ):
        for repetition in (1, 2, 3):
            run = write_run(
                tmp_path / "made",
                workload="reserve",
                threads=10,
                repetition=repetition,
                loops=300,
                median_ms=median_ms,
                record={
                    "system": system,
                    "settings": {REPLICAS: count},
                    "wall_s": 120.0,
                    **record,
                },
            ).rename(tmp_path / f"made/runs/{system}-{repetition}")
            (run / FILE).write_text(f"{','.join(COLUMNS)}\n{SERVICE},15.0,1,0,0.190,0.95,2,2\n")
    return judge_all(load(tmp_path / "made"))


def test_instance_seconds_and_the_first_minute_are_figures_of_claims(replicas: Judged) -> None:
    cell = {"variant": "sync", "workload": "reserve", "level": 10}
    three = {**cell, "settings": {REPLICAS: "3"}}
    scaled = {**cell, "settings": {REPLICAS: "1 to 3 by hpa"}}

    def ratio(figure: str, **more: Any) -> Evidence:
        return examine(
            claim("figure ratio", figure=figure, over=scaled, under=three, **more), replicas
        )

    # 240 against 360 instance-seconds for as many operations.
    assert ratio("instance_s_per_ok", service=SERVICE).estimate == pytest.approx(2 / 3, rel=0.01)
    # All of them end within a minute.
    assert ratio("first_minute").estimate == pytest.approx(1)


def test_replicas_belong_to_a_report_only_with_an_autoscaler(
    replicas: Judged, comparison: Path
) -> None:
    title = "## Replicas, and an autoscaler"
    assert title in sections.studies(replicas)
    assert "1 of 3 statements disagree" in sections.studies(replicas)
    assert title not in sections.studies(judge_all(load(comparison)))
