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
import tempfile
import xml.etree.ElementTree

import pytest

from tests import chapter_facts, running

FOLDER = running.ROOT / "build-windows"  # as the preset says
PREFIX = FOLDER / "wine"  # what Wine takes for the disk of Windows
ENVIRONMENT = {"WINEPREFIX": str(PREFIX), "WINEDEBUG": "-all"}


def needed():
    """The path of Wine; without it or MinGW, the check is skipped."""
    running.need_tool("x86_64-w64-mingw32-g++-posix", "g++-mingw-w64-x86-64-posix")
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/lib/wine"])  # Debian's wine64 has no other place
    found = shutil.which("wine64", path=places)
    if found is None:
        pytest.skip("wine64 is missing (on Debian and Ubuntu: apt install wine64)")
    return found


def build(report):
    """Configures and builds all chapters; whether that succeeded."""
    cmake = os.environ.get("CMAKE", "cmake")
    for command in (["--preset", "windows"], ["--build", "--preset", "windows"]):
        code, out, err = running.run([cmake, *command], cwd=running.ROOT, timeout=1500)
        if not report.must(f"cmake {' '.join(command)}", code == 0, (out + err)[-3000:]):
            return False
    return True


@contextlib.contextmanager
def server(wine):
    """Wine's server, for as long as the programs need it.

    Of itself it ends with the last program, and one that starts in that moment ends with it: "wine client error:
    recvmsg: Connection reset by peer".
    """
    wineserver = pathlib.Path(wine).resolve().with_name("wineserver")
    how = {"env": {**os.environ, **ENVIRONMENT}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    PREFIX.mkdir(parents=True, exist_ok=True)  # a server does not make it, and ends
    subprocess.run([wineserver, "--wait"], timeout=60, **how)  # for the one that the build may have started
    # Ends once the server, in the background, listens: else a program that is there first starts one of its own, and
    # that one would be the server, and end as said above.
    subprocess.run([wineserver, "--persistent"], timeout=60, check=True, **how)
    try:
        # Makes Wine's disk, before several ask for it; what this starts stays, and keeps its output open.
        subprocess.run([wine, "wineboot", "--init"], timeout=300, **how)
        yield
    finally:
        subprocess.run([wineserver, "--kill"], timeout=60, **how)  # and with it all that it has started


def run_tests(report):
    """The chapters' own tests, by CTest."""
    junit = FOLDER / "tests.xml"
    junit.unlink(missing_ok=True)
    ctest = [os.environ.get("CTEST", "ctest"), "--preset", "windows", "--output-junit", junit]
    ctest += ["--test-output-size-passed", "100000"]
    code, out, err = running.run(ctest, cwd=running.ROOT, timeout=1500)
    if not junit.exists():
        report.failed("ctest", [f"no results, exit code {code}{running.indented(out + err)}"])
        return
    tests = {}  # what is wrong with each: an empty string, or what it printed
    for case in xml.etree.ElementTree.parse(junit).iter("testcase"):
        said = f"{case.get('status')} {case.findtext('system-out')}"
        # Wine says "page fault" whatever it is told to keep to itself, and whoever's fault it was.
        tests[case.get("name")] = said if case.get("status") != "run" or "page fault" in said else ""
    for chapter in running.CHAPTERS:
        if running.left_out(chapter, FOLDER):
            print(running.left_out(chapter, FOLDER))
            continue
        own = {name: wrong for name, wrong in tests.items() if name.startswith(chapter + ".")}
        wrong = [f"{name}{running.indented(said)}" for name, said in own.items() if said]
        report.failed(chapter, wrong if own else ["no test of it was run"])
        report.count("runs under Wine", len(own))
    if code != 0 and not report.failures:
        report.failed("ctest", [f"exit code {code}{running.indented(out + err)}"])


def exe(chapter):
    return FOLDER / chapter / f"{chapter}.exe"


def finds_kernel(must, wine):
    """A kernel beside the program comes before the one in the sources, in a path with spaces and two scripts, from elsewhere."""
    chapter = next(chapter for chapter in running.CHAPTERS if running.has_kernel(chapter))
    with tempfile.TemporaryDirectory() as name:
        home = pathlib.Path(name) / "with a space, Ωмир"
        home.mkdir()
        shutil.copy(exe(chapter), home)
        (home / "kernel.cl").write_text("#error beside the program\n")
        program = [wine, home / exe(chapter).name, *chapter_facts.of(chapter).TINY_SIZE]
        code, out, err = running.run(program, env=ENVIRONMENT, cwd="/")
        must("the kernel beside the program is taken", code == 1 and "beside the program" in err, f"{code} {out}{err}")


def remembers(must, wine):
    """What is remembered lies in LOCALAPPDATA, and is found there."""
    for chapter in running.CHAPTERS:
        if not chapter_facts.of(chapter).SEARCH_SIZE:
            continue
        for folder in PREFIX.glob("drive_c/users/*/AppData/Local/opencl-step-by-step"):
            shutil.rmtree(folder)
        for word in (r"remembered in C:\\users\\.*\\AppData\\Local\\opencl-step-by-step\\.*\.txt", "remembered: "):
            command = [wine, exe(chapter), *chapter_facts.of(chapter).TINY_SIZE]
            code, out, err = running.run(command, env={**ENVIRONMENT, "XDG_CACHE_HOME": None}, timeout=300)
            must(f"{chapter}: {word}", code == 0 and re.search(rf"^search    {word}", err, re.MULTILINE), out + err)


@pytest.mark.thorough
@pytest.mark.timeout(2400)
def test_windows_programs(report):
    wine = needed()
    if not build(report):
        return
    with server(wine):
        run_tests(report)
        finds_kernel(report.must, wine)
        remembers(report.must, wine)
