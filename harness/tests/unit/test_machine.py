from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from testbed.deploy import machine

pytestmark = pytest.mark.skipif(not psutil.LINUX, reason="of Linux's threads")

PARENT = (
    "import subprocess, sys, threading, time;"
    "threading.Thread(target=time.sleep, args=(60,)).start();"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print(child.pid, flush=True); time.sleep(60)"
)


def test_every_thread_of_a_process_and_of_its_children_is_kept_on_some_cores() -> None:
    (first, *_) = sorted(machine.usable_cores())
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        try:
            machine.keep_on([parent.pid], {first})
            threads = psutil.Process(parent.pid).threads()
            assert len(threads) == 2
            for thread in (*threads, *child.threads()):
                assert os.sched_getaffinity(thread.id) == {first}
        finally:
            child.kill()
            parent.kill()
    machine.keep_on([parent.pid], {first})


@pytest.mark.parametrize(
    ("apart", "own", "others"),
    [(0, set(), set()), (1, {7}, {2, 3}), (2, {3, 7}, {2})],
)
def test_the_last_cores_are_the_generators(
    monkeypatch: pytest.MonkeyPatch, apart: int, own: set[int], others: set[int]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {7, 2, 3})
    assert machine.parted(apart) == (own, others)
