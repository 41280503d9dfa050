"""One page has the verdict of every claim, or why there is none."""

from __future__ import annotations

from pathlib import Path

from testbed.analysis.claims import ledger
from testbed.analysis.claims.reading import cases, read_claims

from .conftest import PROJECT

PUBLISHED = PROJECT / "analysis" / "published"
HEADER = "claim,says,source,counted,verdict,points_to,estimate,low,high,unit,runs,note\n"


def test_the_page_of_claims_is_what_the_published_tables_say() -> None:
    text = (PROJECT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert text == ledger.page(PUBLISHED), "run ./testbed generate"


def test_every_claim_stands_somewhere_and_every_open_one_has_a_reason() -> None:
    every = ledger.standings(PUBLISHED)
    claims = [*read_claims().claims, *(claim for case in cases() for claim in case.claims)]
    assert len(every) == len([claim for claim in claims if claim.kind != "published"])
    assert all(standing.why for standing in every if standing.state == ledger.UNDECIDED)
    assert not any(standing.why for standing in every if standing.state != ledger.UNDECIDED)
    assert all(standing.folder for standing in every if standing.state != ledger.UNDECIDED)


def test_the_folder_that_decides_speaks_and_counts_may_disagree(tmp_path: Path) -> None:
    says = {claim.id: claim.says for claim in read_claims().claims}
    rows = {
        "one": [("list-slower-sync", "per sample", "not decidable here", "1.2,1.0,1.5", 2)],
        "three": [
            ("list-slower-sync", "per sample", "replicated", "1.2,1.15,1.3", 3),
            ("list-slower-sync", "per operation", "not replicated", "0.8,0.7,0.9", 3),
            ("sync-list-10", "per sample", "replicated", "8.0,7.5,8.5", 3),
        ],
    }
    for folder, lines in rows.items():
        (tmp_path / folder).mkdir()
        text = "".join(
            f'{claim},"{says[claim]}",x,{count},{verdict},{verdict},{figures},×,{runs},""\n'
            for claim, count, verdict, figures, runs in lines
        )
        (tmp_path / folder / "claims.csv").write_text(HEADER + text)
    standings = {standing.claim.id: standing for standing in ledger.standings(tmp_path)}
    both = standings["list-slower-sync"]
    assert (both.state, both.folder) == (ledger.DEPENDS, "three")
    assert both.words.startswith("per sample 1.20 × [1.15 ×,")
    assert standings["sync-list-10"].state == ledger.REPLICATED
    assert standings["list-more-errors-sync"].why == "not measured"
