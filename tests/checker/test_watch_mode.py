"""./check.sh --watch as a student sees it, in a terminal (tmux): it checks at each save, gives a hint for a key, goes on
when an exercise is done, and ends for another key. A save and a key end a check that is running, with all that it has
started.

Needs the solutions.
"""

import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

from tests.running import ROOT, find_oclgrind, need_tool

WAIT = 90  # seconds, on a machine that has other things to do
EVERY = 0.2
ENDLESS = "for (volatile int on = 1; on;)\n    ;\n"  # no compiler takes it away


def commands_with(word):
    """The command lines of this machine's processes that have the word in them, the terminal's own left out."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it may have ended since
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [command for command in found if word in command and "TMPDIR=" not in command]


@pytest.mark.thorough
def test_watch_mode(report):
    tmux = need_tool("tmux", "tmux")
    with tempfile.TemporaryDirectory(prefix="watch-") as name:
        root = pathlib.Path(name) / "opencl"
        for part in ["common", "checker", "tools", "06-dot-product-reduction"]:
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        one = root / "06-dot-product-reduction/exercises/1-missing-barrier"

        def terminal(*words):
            return subprocess.run(
                [tmux, "-S", f"{name}/tmux", *words], capture_output=True, text=True, timeout=30
            ).stdout

        def screen():
            return terminal("capture-pane", "-p", "-t", "watch")

        def soon(condition, wait=WAIT):
            start = time.monotonic()
            while not condition() and time.monotonic() - start < wait:
                time.sleep(EVERY)
            return condition()

        def see(what, text, first=False):
            def there():
                return text in (screen().splitlines() or [""])[0] if first else text in screen()

            return report.must(f"{what}: {text!r}", soon(there), screen())

        def running():
            """The folder of a check whose program runs, and not only a compiler; None where there is none."""

            def runs(home):
                return any(command.startswith(f"{home}/") for command in commands_with(f"{home}/"))

            return next(filter(runs, homes.iterdir()), None)

        def is_ended(what, home):
            gone = home is not None and soon(lambda: not home.exists() and not commands_with(f"{home}/"), 2)
            left = f"{home}, exists: {home and home.exists()}\n" + "\n".join(commands_with(f"{home}/"))
            report.must(f"{what}, and nothing of it is left", gone, left + screen())

        def ended():
            return terminal("list-panes", "-t", "watch", "-F", "#{pane_current_command}").strip() == "sleep"

        # The sandbox's programs may run as nobody, and have to get to their folders.
        homes = pathlib.Path(name) / "homes"
        homes.mkdir()
        for folder in (homes.parent, homes):
            folder.chmod(0o755)
        command = f"TMPDIR='{homes}' BUILD_DIR='{root}/build' OCLGRIND='{find_oclgrind()}' PYTHONPATH='{root}' '{sys.executable}' '{root}/checker/cli.py'"
        terminal("new-session", "-d", "-s", "watch", "-x", "110", "-y", "40", f"{command} --watch 06; sleep 60")
        try:
            see("the starter is checked", "save to check again")
            see("... and is no try", "not started: this is the starter")
            terminal("send-keys", "-t", "watch", "h")
            see("a key gives a hint", "hint ")
            see("... of how many", "1 of 2: ")
            kernel = one / "kernel.cl"
            starter = kernel.read_text()
            kernel.write_text(starter.replace("float sum = 0.0f;", f"float sum = 0.0f;\n  {ENDLESS}"))
            see(
                "a save is checked, and the screen says so",
                "checking ... (save: check anew, h: hint, n: next, q: quit)",
            )
            soon(running)
            home = running()
            terminal("send-keys", "-t", "watch", "h")
            see("a key is answered meanwhile", "the hint comes with the answer")
            kernel.write_text(starter.replace("sum += a[i]", "sum += oops + a[i]"))
            see("a save while a check runs", "saved again: checking anew", first=True)
            is_ended("... ends that check", home)
            see("... and is checked", "undeclared identifier 'oops'")
            see("... and watched again", "watching 06/1: save to check again")
            report.must("what stopped is not told", "did not end" not in screen(), screen())
            see("none of three is done", "0 of 3 done")
            terminal("send-keys", "-t", "watch", "h")
            see("what does not compile has no hint for the task", "mend the line that is named first")
            shutil.copy(one / "solution/kernel.cl", kernel)
            see("what is found first is said meanwhile", "so far, PoCL: right for ")
            see("what is right is done", "1 of 3 done\ndone. Go on with")
            see("... and the next screen says it", "06/1 passed", first=True)
            see("... and has the next one", "watching 06/2: save to check again")
            see("... with the one before counted", "1 of 3 done")
            terminal("send-keys", "-t", "watch", "n")
            see("a key goes on", "watching 06/3: save to check again")
            (one.parent / "3-closed-form/host.cpp").write_text(f"int main() {{\n  {ENDLESS}}}\n")
            soon(running)
            home = running()
            terminal("send-keys", "-t", "watch", "q")
            report.must("a key ends it while a check runs", soon(ended, 7), screen())
            is_ended("... with the check", home)
            terminal("respawn-pane", "-k", "-t", "watch", f"{command} --watch 06; sleep 60")
            see("another time what is done is counted, too", "1 of 3 done")
            see("... and left out", "watching 06/2: save to check again")
            terminal("send-keys", "-t", "watch", "q")
            report.must("a key ends it", soon(ended), screen())
        finally:
            terminal("kill-server")
