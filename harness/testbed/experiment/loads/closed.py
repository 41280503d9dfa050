"""A closed loop: threads that begin an operation when their last one has ended."""

from __future__ import annotations

from pydantic import model_validator

from testbed.experiment.declaration import Experiment


class ClosedLoop(Experiment):
    """Threads that begin an operation when their last one has ended, for some loops or time."""

    @model_validator(mode="after")
    def _check_end(self) -> ClosedLoop:
        if self.threads and self.loops is None and self.duration is None:
            raise ValueError("give blocks, loops or duration: a run needs an end")
        return self
