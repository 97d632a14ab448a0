"""What checker/sandbox.py keeps a program from, seen on programs that try.

Without bubblewrap only the limits are looked at, and the rest is skipped by name.
"""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import threading
import time

import pytest

from checker import sandbox
from tests.running import ROOT

pytestmark = pytest.mark.thorough
COUNT = "for ((i = 0; i < 300000; i++)); do :; done"


def counting():
    """The seconds that COUNT runs on a processor, and how long it takes with waiting for one."""
    begin = os.times()
    subprocess.run(["bash", "-c", COUNT], check=True, start_new_session=True)
    end = os.times()
    return sum(end[2:4]) - sum(begin[2:4]), end[4] - begin[4]


@pytest.fixture
def folder():
    """Not pytest's own, which nobody else can get to: the sandbox's programs may run as nobody."""
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


@pytest.fixture
def run(folder):
    """run(script, seconds): exit code, output and errors of a script of bash in the sandbox."""

    def start(script, seconds=20):
        return sandbox.run(["bash", "-c", script], seconds, folder, {**os.environ, "SECRET": "1"}, folder)

    return start


def left(word):
    """The processes of this machine that have the word in their command lines."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            found += [path] * (word in path.read_text(encoding="utf-8", errors="replace"))
    return found


def test_limits(run):
    assert run("echo a; echo b >&2; exit 3") == (3, "a\n", "b\n")
    assert run("kill -11 $$")[0] == -11
    alone, _ = counting()
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(5 * (os.cpu_count() or 1))]
    code, *_ = run(COUNT, seconds=3 * alone)
    for one in busy:
        one.kill()
        one.wait()
    assert code == 0, "on a busy machine it has its time all the same"
    assert run("sleep 60", seconds=1)[0] is None
    assert run("echo a; sleep 60", seconds=1) == (None, "a\n", ""), "what it printed until then comes back"
    code, out, err = run("yes")
    assert code == 1 and len(out) == sandbox.OUTPUT and sandbox.TOO_MUCH in err
    code, _, err = run("while true; do i=$((i + 1)); head -c 50000000 /dev/zero >f$i; done; rm f*")
    assert code == 1 and "MiB" in err
    code, _, err = run("dd if=/dev/zero of=/dev/null bs=9G count=1")
    assert code == 1 and "memory exhausted" in err


@pytest.mark.skipif(
    bool(sandbox.missing()), reason=f"the limits hold; the rest not looked at, because {sandbox.missing()}"
)
def test_walls(run, folder):
    assert "unavailable" in run("f() { f | f & }; f; sleep 60", seconds=2)[2], "a fork bomb stays in it"
    ran, took = counting()
    others = max(1, took / ran)  # times as long as on a machine that does nothing else
    begin = time.monotonic()
    run("for i in 1 2 3 4 5 6 7 8 9; do while :; do :; done & done; wait", seconds=2)
    assert time.monotonic() - begin < 9 * others, "what keeps itself waiting has no more time for that"
    code, _, err = sandbox.run(["true"], 9, folder / "gone", os.environ, folder)
    assert code == 1 and "gone" in err, "a program that has deleted its folder is told so"
    run("nohup sleep 86399 & setsid sleep 86399 & sleep 0.2")
    assert not left("86399")
    assert run("wc -l </proc/net/dev")[1] == "3\n", "a network: more than two lines of head, and lo"
    code, out, _ = run("id -u; cat /etc/shadow")
    assert code == 1 and out.strip() != "0", "it is root"
    _, out, _ = run(f"ls {ROOT} {ROOT}/common/*.h")
    assert "opencl.h" in out and "exercises" not in out and "tests" not in out, "it sees more than it needs"
    code, out, _ = run(
        f"echo a >a; echo a >/tmp/a; cat a /tmp/a; echo a >{ROOT}/common/a || echo a >/usr/a || echo a >/etc/a"
    )
    assert code == 1 and out == "a\na\n" and (folder / "a").read_text(encoding="utf-8") == "a\n"


@pytest.mark.skipif(bool(sandbox.missing()), reason=sandbox.missing() or "")
def test_what_nobody_waits_for(run):
    """It ends at once, and whole."""
    threading.Timer(0.5, sandbox.stop.set).start()
    begin = time.monotonic()
    try:
        with pytest.raises(sandbox.Stopped):
            run("setsid sleep 86398 & sleep 86398")
    finally:
        sandbox.stop.clear()
    assert time.monotonic() - begin < 5 and not left("86398")
