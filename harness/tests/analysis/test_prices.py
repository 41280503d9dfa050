"""Price lists, against what the article's own table costs by them."""

from __future__ import annotations

import pytest

from testbed.analysis.prices import price_list
from testbed.model.errors import UserError

# MB and GHz by threads: the composite, then adjuster, converter and labeler. 1 vCPU = 4 GHz.
TABLE = {
    10: ((2560, 8.0), [(256, 0.8), (1280, 4.0), (256, 0.8)]),
    20: ((5376, 16.0), [(524, 1.8), (2620, 9.0), (524, 1.8)]),
    50: ((13312, 44.0), [(1344, 4.2), (6720, 21.0), (1344, 4.2)]),
}


@pytest.mark.parametrize(
    ("threads", "pro_rata", "on_sale"),
    [(10, 1.429, 4 / 3), (20, 1.313, 0.8), (50, 1.477, 4 / 3)],
)
def test_the_table_of_the_article_costs_what_was_computed_by_hand(
    threads: int, pro_rata: float, on_sale: float
) -> None:
    prices = price_list("fargate-2018-09")
    composite, chain = (
        [(ghz / 4, mb / 1024) for mb, ghz in parts]
        for parts in ([TABLE[threads][0]], TABLE[threads][1])
    )

    def ratio(sizes: str) -> float:
        above, below = (prices.together(parts, sizes) for parts in (composite, chain))  # type: ignore[arg-type]
        assert above is not None
        assert below is not None
        return above / below

    assert ratio("pro rata") == pytest.approx(pro_rata, abs=0.0006)
    assert ratio("on sale") == pytest.approx(on_sale, abs=0.0006)


def test_what_is_larger_than_anything_on_sale_has_no_price() -> None:
    prices = price_list("fargate-2019-01")

    assert prices.cost(17, 1, "on sale") is None
    assert prices.together([(1, 2), (1, 121)], "on sale") is None
    assert prices.cost(17, 1, "pro rata") == pytest.approx(17 * 0.04048 + 0.004445)


@pytest.mark.parametrize(
    ("vcpus", "gb", "bought"),
    [
        (0.25, 0.5, (0.25, 0.5)),
        (0.1, 0.6, (0.25, 1)),
        (0.2, 2.1, (0.5, 3)),
        (0.5, 0.1, (0.5, 1)),
        (5, 17, (8, 20)),
        (1, 8.5, (2, 9)),
    ],
)
def test_the_cheapest_size_that_is_enough_is_bought(
    vcpus: float, gb: float, bought: tuple[float, float]
) -> None:
    prices = price_list("fargate-2019-01")

    assert prices.cost(vcpus, gb, "on sale") == pytest.approx(prices.cost(*bought, "pro rata"))


def test_an_unknown_list_names_the_known_ones() -> None:
    with pytest.raises(UserError, match="choose from: fargate-2018-09, fargate-2019-01"):
        price_list("fargate-2020")
