"""Every chapter as a Windows program: built with MinGW, run under Wine at its sizes of CTest.

Wine's opencl.dll passes each call on to the ICD loader of Linux, so the device is the same (windows/mingw.cmake).
What Windows does otherwise is looked at besides: where a program finds its kernel, and where one remembers.
"""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from tests import chapter_facts, running

FOLDER = running.ROOT / "build-windows"  # as the preset says
PREFIX = FOLDER / "wine"  # what Wine takes for the disk of Windows
ENVIRONMENT = {"WINEPREFIX": str(PREFIX), "WINEDEBUG": "-all"}


@contextlib.contextmanager
def server(wine):
    """Wine's server, for as long as the programs need it.

    Of itself it ends with the last program, and one that starts in that moment ends with it: "wine client error:
    recvmsg: Connection reset by peer".
    """
    wineserver = pathlib.Path(wine).resolve().with_name("wineserver")
    how = {"env": {**os.environ, **ENVIRONMENT}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    PREFIX.mkdir(parents=True, exist_ok=True)  # a server does not make it, and ends
    # Ends once the server, in the background, listens: else a program that is there first starts one of its own, and
    # that one would be the server, and end as said above.
    subprocess.run([wineserver, "--persistent"], timeout=60, check=True, **how)
    try:
        # Makes Wine's disk, before several ask for it; what this starts stays, and keeps its output open.
        subprocess.run([wine, "wineboot", "--init"], timeout=300, **how)
        yield
    finally:
        subprocess.run([wineserver, "--kill"], timeout=60, **how)  # and with it all that it has started


def run_chapters(report):
    """The chapters' own tests, by CTest; whether they could be built."""
    for command in (["cmake", "--preset", "windows"], ["cmake", "--build", "--preset", "windows"]):
        code, out, err = running.run(command, cwd=running.ROOT, timeout=1500)
        if not report.must(" ".join(command), code == 0, (out + err)[-3000:]):
            return False
    code, out, _ = running.run(["ctest", "--preset", "windows", "--verbose"], cwd=running.ROOT, timeout=1500)
    failed = "|".join(re.findall(r"(?m)^ *\d+/\d+ Test +#(\d+): .*\*\*\*", out)) or "none"
    # Wine says "page fault" whatever it is told to keep to itself, and whoever's fault it was.
    said = [line for line in out.splitlines() if re.match(rf" *(?:{failed}): |.*\*\*\*|.*page fault", line)]
    report.must("the tests of the chapters pass", code == 0 and "page fault" not in out, "\n".join(said)[-8000:])
    for chapter in running.CHAPTERS:
        left_out = running.left_out(chapter, FOLDER)
        tests = re.findall(rf"(?m)^ *\d+/\d+ Test +#\d+: {chapter}\.", out)
        report.must(left_out or f"{len(tests)} tests of {chapter}", left_out or tests)
    return True


def exe(chapter):
    return FOLDER / chapter / f"{chapter}.exe"


def finds_kernel(report, wine, home):
    """A kernel beside the program comes before the one in the sources, in a path with spaces and two scripts, from elsewhere."""
    chapter = next(chapter for chapter in running.CHAPTERS if running.has_kernel(chapter))
    home.mkdir()
    shutil.copy(exe(chapter), home)
    (home / "kernel.cl").write_text("#error beside the program\n")
    program = [wine, home / exe(chapter).name, *chapter_facts.of(chapter).TINY_SIZE]
    code, out, err = running.run(program, env=ENVIRONMENT, cwd="/")
    taken = code == 1 and "beside the program" in err
    report.must("the kernel beside the program is taken", taken, f"{code} {out}{err}")


def remembers(report, wine):
    """What is remembered lies in LOCALAPPDATA, and is found there."""
    for chapter in [chapter for chapter in running.CHAPTERS if chapter_facts.of(chapter).SEARCH_SIZE]:
        for folder in PREFIX.glob("drive_c/users/*/AppData/Local/opencl-step-by-step"):
            shutil.rmtree(folder)
        for words in (r"remembered in C:\\users\\.*\\AppData\\Local\\opencl-step-by-step\\.*\.txt", "remembered: "):
            command = [wine, exe(chapter), *chapter_facts.of(chapter).TINY_SIZE]
            code, out, err = running.run(command, env={**ENVIRONMENT, "XDG_CACHE_HOME": None}, timeout=300)
            said = code == 0 and re.search(rf"^search    {words}", out if not err else err, re.MULTILINE)
            report.must(f"{chapter}: {words}", said, out + err)


@pytest.mark.thorough
@pytest.mark.timeout(2400)
def test_windows_programs(report, tmp_path, monkeypatch):
    running.need_tool("x86_64-w64-mingw32-g++-posix", "g++-mingw-w64-x86-64-posix")
    monkeypatch.setenv("PATH", "/usr/lib/wine", prepend=os.pathsep)  # Debian's wine64 has no other place
    wine = running.need_tool("wine64", "wine64")
    with server(wine):
        if run_chapters(report):
            finds_kernel(report, wine, tmp_path / "with a space, Ωмир")
            remembers(report, wine)
