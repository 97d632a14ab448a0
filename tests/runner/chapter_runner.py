"""Is run_chapter.cmake red when it should be? Programs that are none of ours, each wrong in one way."""

import functools
import os
import pathlib
import tempfile

from tests import running

CMAKE = os.environ.get("CMAKE", "cmake")
# Prints what lies beside it, and then does what `last` says.
PROGRAM = '#!/bin/sh\n[ "$1" = --help ] && exec cat "$0.usage"\ncat "$0.out"\ncat "$0.err" >&2\n'

GOOD = """device    a device
size      N = 1000
result    7056
expected  7056
time      kernel 1.000 ms, 8.0 GB/s
PASSED
"""
NO_TIME = GOOD.replace("time      kernel 1.000 ms, 8.0 GB/s\n", "")
TWICE = GOOD.replace("PASSED", "result    7056\nexpected  7056\ntime      again 1.000 ms, 8.0 GB/s\nPASSED")
UNROLLED = GOOD.replace("N = 1000", "N = 1000, UF = 2")
MATRIX = GOOD.replace("N = 1000", "M = 512, N = 512, K = 512")
DEVICES = """device    a device
chosen    0:1, a GPU
platform  a platform
  0:0  another device
  0:1  a device <- the one that the chapters use
the rest
PASSED
"""
WAYS = GOOD.replace("result ", "offers    many\nway       2: this one\nresult ")
NO_BLOCK = "the output is not: device, size, result, expected, times, PASSED"
NO_LIST = "the output is not: device, chosen, the list with that device marked, PASSED"
NO_DEFAULT = "which is not the default that the usage names"

ASKS = "clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);\n"


def case(
    must, what, message, out=GOOD, err="", last="", host=ASKS, form="", arguments="1000", usage="", runs=1, env=None
):
    """run_chapter.cmake must say `message` and fail; with an empty one, accept the program."""
    with tempfile.TemporaryDirectory() as folder:
        program, source = pathlib.Path(folder) / "program", pathlib.Path(folder) / "host.cpp"
        source.write_text(host)
        for end, text in [("", PROGRAM + last), (".out", out), (".err", err), (".usage", usage)]:
            pathlib.Path(str(program) + end).write_text(text)
        program.chmod(0o755)
        for _ in range(runs):
            code, _, said = running.run(
                [
                    CMAKE,
                    "-D",
                    f"PROGRAM={program}",
                    "-D",
                    f"ARGUMENTS={arguments}",
                    "-D",
                    f"HOST={source}",
                    "-D",
                    f"OUTPUT={form}",
                    "-P",
                    running.ROOT / "common" / "run_chapter.cmake",
                ],
                env=env,
            )
    said = " ".join(said.split())  # CMake breaks the lines of its messages
    good = (code != 0) == bool(message) and message in said and " ".join((out + err).split()) in said
    must(f"{what}: {message or 'accepted'}", good, f"exit code {code}: {said}")


def accepted(case):
    case("a program that passes", "")
    case("two results", "", TWICE)
    case("a word on standard error", "", err="a warning\n")
    case("no time where none is asked for", "", NO_TIME, host="no queue\n")
    case("a list of devices", "", DEVICES, form="devices", arguments="")
    case("more lines, which it is to have", "", WAYS, form="offers|refused|way")
    case("three arguments", "", last='[ "$#:$1:$2:$3" = 3:17:33:65 ]', arguments="17 33 65")
    case(
        "no argument: the default size", "", last="[ $# = 0 ]", arguments="", usage="N (default 1000; in full: 2000)\n"
    )
    case("no argument: one default for three sizes", "", MATRIX, arguments="", usage="(default 512)\n")
    case("no argument: two defaults", "", UNROLLED, arguments="", usage="N (default 1000)\nUF (default 2)\n")
    case("no argument: at most", "", arguments="", usage="(default: enough, at most 1000)\n")
    # A folder of its own for what chapter 20 remembers, new for each run; PoCL's cache stays.
    case("nothing remembered", "", last='mkdir -p "$XDG_CACHE_HOME" && mkdir "$XDG_CACHE_HOME/once"', runs=2)
    case("not in the user's folder", "", last='[ "$XDG_CACHE_HOME" != /usual ]', env={"XDG_CACHE_HOME": "/usual"})
    case("PoCL's cache", "", last='[ "$POCL_CACHE_DIR" = /given ]', env={"POCL_CACHE_DIR": "/given"})


def refused(case):
    for code in (1, 2, 77):
        case(f"exit code {code}", f"exit code {code}, where 0 was expected", last=f"exit {code}")
    for signal in ("KILL", "SEGV", "ABRT"):
        case(f"signal {signal}", ", where 0 was expected", last=f"ulimit -c 0; kill -{signal} $$")
    case("says nothing", NO_BLOCK, "")
    case("no PASSED", NO_BLOCK, GOOD.replace("PASSED\n", ""))
    case("FAILED with exit code 0", NO_BLOCK, GOOD.replace("PASSED", "FAILED"))
    case("PASSED and then FAILED", NO_BLOCK, GOOD + "FAILED\n")
    case("PASSED not on a line of its own", NO_BLOCK, GOOD.replace("\nPASSED", " PASSED"))
    case("not PASSED", NO_BLOCK, GOOD.replace("PASSED", "not PASSED"))
    case("PASSED, and more on its line", NO_BLOCK, GOOD.replace("PASSED", "PASSED?"))
    case("PASSED on standard error", NO_BLOCK, GOOD.replace("PASSED\n", ""), err="PASSED\n")
    for line in ("device", "size", "result", "expected"):
        case(f"no line {line}", NO_BLOCK, "".join(x for x in GOOD.splitlines(True) if not x.startswith(line)))
    case("a second result without what was expected", NO_BLOCK, GOOD.replace("PASSED", "result    1\nPASSED"))
    case("more lines, which nobody asked for", NO_BLOCK, WAYS)
    case("another one than asked for", NO_BLOCK, WAYS, form="offers|refused")
    case("none of those asked for", NO_BLOCK, form="offers|way")
    case("another line between", NO_BLOCK, GOOD.replace("time", "a word\ntime"))
    case(
        "a wrong candidate", "one of the candidates computes a wrong result", err="search    a shape: WRONG, left out\n"
    )
    case("no time where one is asked for", "no line with a time", NO_TIME)
    case(
        "list of devices: another device marked",
        NO_LIST,
        DEVICES.replace("chosen    0:1", "chosen    0:0"),
        form="devices",
        arguments="",
    )
    case("list of devices: none marked", NO_LIST, DEVICES.replace(" <- the one", ""), form="devices", arguments="")
    case("list of devices: no PASSED", NO_LIST, DEVICES.replace("PASSED\n", ""), form="devices", arguments="")
    case("list of devices: output as of the others", NO_LIST, form="devices", arguments="")
    case("another default size", NO_DEFAULT, arguments="", usage="(default 1024)\n")
    case(
        "another default for the second size",
        NO_DEFAULT,
        UNROLLED,
        arguments="",
        usage="N (default 1000)\nUF (default 4)\n",
    )
    case(
        "one of three sizes another",
        NO_DEFAULT,
        MATRIX.replace("K = 512", "K = 64"),
        arguments="",
        usage="(default 512)\n",
    )
    case("more than at most", NO_DEFAULT, arguments="", usage="(default: enough, at most 999)\n")
    case("a usage without a default", NO_DEFAULT, arguments="", usage="usage: program [N]\n")


def check(report):
    accepted(functools.partial(case, report.must))
    refused(functools.partial(case, report.must))
