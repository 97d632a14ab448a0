"""common/run_chapter.cmake, through which CTest runs each chapter, refuses programs that are wrong in one way each."""

import os

import pytest

from tests import running

GOOD = """device    a device
size      N = 1000
result    7056
expected  7056
time      kernel 1.000 ms, 8.0 GB/s
PASSED
"""
DEVICES = """device    a device
chosen    0:1, a GPU
platform  a platform
  0:0  another device
  0:1  a device <- the one that the chapters use
the rest
PASSED
"""
NO_BLOCK = "the output is not: device, size, result, expected, times, PASSED"
NO_LIST = "the output is not: device, chosen, the list with that device marked, PASSED"
NO_DEFAULT = "which is not the default that the usage names"
# What it is: (what the program prints, its last shell command, what is said of it), and what else is given.
CASES = {
    "right": (GOOD, "", ""),
    "right, a list": (DEVICES, "", "", {"OUTPUT": "devices", "ARGUMENTS": ""}),
    "right, three arguments": (GOOD, '[ "$#:$1:$2:$3" = 3:17:33:65 ]', "", {"ARGUMENTS": "17 33 65"}),
    "right, its default": (GOOD, "", "", {"ARGUMENTS": "", "usage": "N (default 1000)\n"}),
    "exit code": (GOOD, "exit 1", "exit code 1, where 0 was expected"),
    "exit code of a skip": (GOOD, "exit 77", "exit code 77, where 0 was expected"),
    "signal": (GOOD, "ulimit -c 0; kill -SEGV $$", ", where 0 was expected"),
    "says nothing": ("", "", NO_BLOCK),
    "FAILED with exit code 0": (GOOD.replace("PASSED", "FAILED"), "", NO_BLOCK),
    "PASSED and then FAILED": (GOOD + "FAILED\n", "", NO_BLOCK),
    "not PASSED": (GOOD.replace("PASSED", "not PASSED"), "", NO_BLOCK),
    "no result": (GOOD.replace("result    7056\n", ""), "", NO_BLOCK),
    "another line between": (GOOD.replace("time", "a word\ntime"), "", NO_BLOCK),
    "no time where one is asked for": (
        GOOD.replace("time      kernel 1.000 ms, 8.0 GB/s\n", ""),
        "",
        "no line with a time",
    ),
    "a wrong candidate": (GOOD, "echo 'search    a shape: WRONG, left out' >&2", "computes a wrong result"),
    "another device marked": (DEVICES.replace("0:1, a", "0:0, a"), "", NO_LIST, {"OUTPUT": "devices", "ARGUMENTS": ""}),
    "another default": (GOOD, "", NO_DEFAULT, {"ARGUMENTS": "", "usage": "N (default 1024)\n"}),
}


@pytest.mark.parametrize("what", CASES)
def test_run_chapter(tmp_path, what):
    out, last, said, *more = CASES[what]
    given = {"ARGUMENTS": "1000", "OUTPUT": "", "usage": "", **(more[0] if more else {})}
    program, host = tmp_path / "program", tmp_path / "host.cpp"
    (tmp_path / "out").write_text(out)
    (tmp_path / "usage").write_text(given["usage"])
    program.write_text(f'#!/bin/sh\ncd "${{0%/*}}"\n[ "$1" = --help ] && exec cat usage\ncat out\n{last}\n')
    program.chmod(0o755)
    host.write_text("clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);\n")
    values = {"PROGRAM": program, "HOST": host, "ARGUMENTS": given["ARGUMENTS"], "OUTPUT": given["OUTPUT"]}
    options = [word for name, value in values.items() for word in ("-D", f"{name}={value}")]
    script = running.ROOT / "common" / "run_chapter.cmake"
    code, _, err = running.run([os.environ.get("CMAKE", "cmake"), *options, "-P", script])
    err = " ".join(err.split())  # CMake breaks the lines of its messages
    assert (code != 0) == bool(said) and said in err, err
