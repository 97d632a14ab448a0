"""./check.sh --watch as a student sees it, in a terminal (tmux): it checks at each save, gives a hint for a key, goes on
when an exercise is done, and ends for another key. That what is stopped ends with all that it has started,
test_sandbox_itself.py sees.

Needs the solutions.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

from tests.running import ROOT, find_oclgrind, need_tool

WAIT = 90  # seconds, on a machine that has other things to do
ENDLESS = "for (volatile int on = 1; on;)\n    ;\n"  # no compiler takes it away


@pytest.mark.thorough
def test_watch_mode(report):
    tmux = need_tool("tmux", "tmux")
    with tempfile.TemporaryDirectory(prefix="watch-") as name:
        root = pathlib.Path(name) / "opencl"
        for part in ["common", "checker", "tools", "06-dot-product-reduction"]:
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        one = root / "06-dot-product-reduction/exercises/1-missing-barrier"
        kernel, starter = one / "kernel.cl", (one / "kernel.cl").read_text()

        def terminal(*words):
            command = [tmux, "-S", f"{name}/tmux", *words]
            return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout

        def screen():
            return terminal("capture-pane", "-p", "-t", "watch")

        def press(key):
            terminal("send-keys", "-t", "watch", key)

        def until(what, is_so, wait=WAIT):
            start = time.monotonic()
            while not is_so() and time.monotonic() - start < wait:
                time.sleep(0.2)
            report.must(what, is_so(), screen())

        def see(what, text, lines=None):
            until(f"{what}: {text!r}", lambda: text in "\n".join(screen().splitlines()[:lines]))

        def has_ended():
            return terminal("list-panes", "-t", "watch", "-F", "#{pane_current_command}").strip() == "sleep"

        env = f"BUILD_DIR='{root}/build' OCLGRIND='{find_oclgrind()}' PYTHONPATH='{root}'"
        command = f"{env} '{sys.executable}' '{root}/checker/cli.py' --watch 06; sleep 60"
        terminal("new-session", "-d", "-s", "watch", "-x", "110", "-y", "40", command)
        try:
            see("the starter is no try", "not started: this is the starter")
            see("... and is watched", "save to check again")
            press("h")
            see("a key gives a hint", "1 of 2: ")
            kernel.write_text(starter.replace("float sum = 0.0f;", f"float sum = 0.0f;\n  {ENDLESS}"))
            see("a save is checked", "checking ... (save: check anew, h: hint, n: next, q: quit)")
            press("h")
            see("a key is answered meanwhile", "the hint comes with the answer")
            kernel.write_text(starter.replace("sum += a[i]", "sum += oops + a[i]"))
            see("a save while a check runs", "saved again: checking anew", lines=1)
            see("... is checked", "undeclared identifier 'oops'")
            see("... and watched again", "watching 06/1: save to check again")
            see("none of three is done", "0 of 3 done")
            press("h")
            see("what does not compile has no hint for the task", "fix the line that is named first")
            shutil.copy(one / "solution/kernel.cl", kernel)
            see("what is right is done", "1 of 3 done\ndone. Go on with")
            see("... and the next screen says it", "06/1 passed", lines=1)
            see("... and has the next one", "watching 06/2: save to check again")
            press("n")
            see("a key goes on", "watching 06/3: save to check again")
            (one.parent / "3-closed-form/host.cpp").write_text(f"int main() {{\n  {ENDLESS}}}\n")
            see("a save is checked again", "checking ... (save")
            press("q")
            until("a key ends it while a check runs", has_ended, wait=7)
            terminal("respawn-pane", "-k", "-t", "watch", command)
            see("another time what is done is left out", "watching 06/2: save to check again")
        finally:
            terminal("kill-server")
