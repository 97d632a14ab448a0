"""What checker/sandbox.py keeps a program from, seen on programs that try.

Without bubblewrap only the limits are looked at, and the rest is skipped by name.
"""

import os
import pathlib
import subprocess
import tempfile
import threading
import time

import pytest

from checker import sandbox
from tests.running import ROOT

COUNT = "for ((i = 0; i < 300000; i++)); do :; done"


def counting():
    """The seconds that COUNT runs on a processor, and how long it takes with waiting for one."""
    begin = os.times()
    subprocess.run(["bash", "-c", COUNT], check=True, start_new_session=True)
    end = os.times()
    return sum(end[2:4]) - sum(begin[2:4]), end[4] - begin[4]


@pytest.mark.thorough
def test_sandbox_itself(report):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(script, seconds=20):
            return sandbox.run(["bash", "-c", script], seconds, folder, {**os.environ, "SECRET": "1"}, folder)

        def must(what, script, good, **how):
            found = run(script, **how)
            report.must(what, good(*found), f"{found[0]} {found[1][-300:]} {found[2][-300:]}")

        must(
            "its exit code and its words come back", "echo a; echo b >&2; exit 3", lambda *all: all == (3, "a\n", "b\n")
        )
        must("so does a signal", "kill -11 $$", lambda code, *_: code == -11)
        alone, _ = counting()
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(5 * (os.cpu_count() or 1))]
        must("on a busy machine it has its time all the same", COUNT, lambda code, *_: code == 0, seconds=3 * alone)
        for one in busy:
            one.kill()
            one.wait()
        must("it ends when its time is over", "sleep 60", lambda code, *_: code is None, seconds=1)
        must(
            "what it printed until then comes back",
            "echo a; sleep 60",
            lambda *all: all == (None, "a\n", ""),
            seconds=1,
        )
        must(
            "endless output ends it",
            "yes",
            lambda code, out, err: code == 1 and len(out) == sandbox.OUTPUT and sandbox.TOO_MUCH in err,
        )
        must(
            "so does writing without end",
            "while true; do i=$((i + 1)); head -c 50000000 /dev/zero >f$i; done",
            lambda code, out, err: code == 1 and "MiB" in err,
        )
        nine = "dd if=/dev/zero of=/dev/null bs=9G count=1"
        must("memory has a limit", nine, lambda code, out, err: code == 1 and "memory exhausted" in err)
        if sandbox.missing():
            pytest.skip("the limits hold; the rest not looked at, because " + sandbox.missing())
        must(
            "a fork bomb stays in it",
            "rm f*; f() { f | f & }; f; sleep 60",
            lambda code, out, err: "unavailable" in err,
            seconds=2,
        )
        ran, took = counting()
        others = max(1, took / ran)  # times as long as on a machine that does nothing else
        begin = time.monotonic()
        run("for i in 1 2 3 4 5 6 7 8 9; do while :; do :; done & done; wait", seconds=2)
        took = time.monotonic() - begin
        report.must("what keeps itself waiting has no more time for that", took < 9 * others, f"{took:.1f} s")
        found = sandbox.run(["true"], 9, folder / "gone", os.environ, folder)
        report.must(
            "a program that has deleted its folder is told so", found[0] == 1 and "gone" in found[2], str(found)
        )
        run("nohup sleep 86399 & setsid sleep 86399 & sleep 0.2")
        left = [p for p in pathlib.Path("/proc").glob("[0-9]*/cmdline") if "86399" in text(p)]
        report.must("nothing that it started is left", not left, str(left))
        threading.Timer(0.5, sandbox.stop.set).start()
        begin, ended = time.monotonic(), ""
        try:
            ended = str(run("setsid sleep 86398 & sleep 86398"))
        except sandbox.Stopped:
            pass
        finally:
            sandbox.stop.clear()
        took = time.monotonic() - begin
        left = [p for p in pathlib.Path("/proc").glob("[0-9]*/cmdline") if "86398" in text(p)]
        good = not ended and took < 5 and not left
        report.must("what nobody waits for any more ends at once, and whole", good, f"{ended} {took:.1f} s {left}")
        must("there is no network", "wc -l </proc/net/dev", lambda code, out, err: out == "3\n")  # two lines, and lo
        must("it is no root", "id -u; cat /etc/shadow", lambda code, out, err: out.strip() != "0" and code == 1)
        must(
            "it sees of the checkout what it needs, and no answers",
            f"ls {ROOT} {ROOT}/common/*.h",
            lambda code, out, err: "opencl.h" in out and "exercises" not in out and "tests" not in out,
        )
        must(
            "it can write into its folder and /tmp only",
            f"echo a >a; echo a >/tmp/a; cat a /tmp/a; echo a >{ROOT}/common/a || echo a >/usr/a || echo a >/etc/a",
            lambda code, out, err: code == 1 and out == "a\na\n",
        )
        report.must("... and what it wrote to its folder is there", (folder / "a").read_text() == "a\n")


def text(path):
    try:
        return path.read_text()
    except OSError:  # it has ended meanwhile
        return ""
