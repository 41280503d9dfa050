"""The market, asked by its clients."""

from __future__ import annotations

from typing import Any

import httpx

from contract.product import Product

from .accounting import Outcome
from .clients import reason, shortly


class Market(Product):
    """The market, as one process or as several."""

    variant = "market-service"
    prefix = "/api"
    made = httpx.codes.CREATED

    def finish(self, answer: httpx.Response) -> httpx.Response:
        return answer

    def ask(self, method: str, path: str, **content: Any) -> httpx.Response | Outcome:
        """Send a request, and return its answer, or what the client was told if it failed."""
        try:
            answer = self.http.request(method, path, **content)
        except (httpx.HTTPError, AssertionError) as problem:
            return Outcome(None, why=shortly(problem))
        if answer.is_success:
            return answer
        return Outcome(answer.status_code, None, answer.status_code, reason(answer))
