"""./check.sh --watch as a student sees it, in a terminal (tmux): it checks at each save, gives a hint for a key, goes on
when an exercise is done, and ends for another key.

Needs the solutions.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from harness import ROOT, find_oclgrind, need_tool

WAIT = 90  # seconds, on a machine that has other things to do
EVERY = 0.2


def check(report):
    tmux = need_tool("tmux", "tmux")
    with tempfile.TemporaryDirectory(prefix="watch-") as name:
        root = pathlib.Path(name) / "opencl"
        for part in ["common", "tests", "06-dot-product-reduction"]:
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        one = root / "06-dot-product-reduction/exercises/1-missing-barrier"

        def terminal(*words):
            return subprocess.run(
                [tmux, "-S", f"{name}/tmux", *words], capture_output=True, text=True, timeout=30
            ).stdout

        def screen():
            return terminal("capture-pane", "-p", "-t", "watch")

        def see(what, text):
            start = time.monotonic()
            while text not in screen() and time.monotonic() - start < WAIT:
                time.sleep(EVERY)
            return report.must(f"{what}: {text!r}", text in screen(), screen())

        command = f"BUILD_DIR='{root}/build' OCLGRIND='{find_oclgrind()}' '{sys.executable}' '{root}/tests/answers.py'"
        terminal("new-session", "-d", "-s", "watch", "-x", "110", "-y", "40", f"{command} --watch 06; sleep 60")
        try:
            see("the starter is checked", "save to check again")
            see("... and is no try", "not started: this is the starter")
            terminal("send-keys", "-t", "watch", "h")
            see("a key gives a hint", "hint ")
            kernel = one / "kernel.cl"
            kernel.write_text(kernel.read_text().replace("sum += a[i]", "sum += oops + a[i]"))
            see("a save is checked", "undeclared identifier 'oops'")
            see("... and watched again", "save to check again")
            shutil.copy(one / "solution/kernel.cl", kernel)
            see("what is right is done, and the next one comes", "2-interleaved: save to check again")
            terminal("send-keys", "-t", "watch", "n")
            see("a key goes on", "3-closed-form: save to check again")
            terminal("send-keys", "-t", "watch", "q")
            start, current = time.monotonic(), ""
            while current != "sleep" and time.monotonic() - start < WAIT:
                time.sleep(EVERY)
                current = terminal("list-panes", "-t", "watch", "-F", "#{pane_current_command}").strip()
            report.must("a key ends it", current == "sleep", current + screen())
        finally:
            terminal("kill-server")
