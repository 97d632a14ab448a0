"""common/run_chapter.cmake, through which CTest runs each chapter, refuses programs that are wrong in one way each."""

import os

import pytest

from tests import running

TIME = "time      kernel 1.000 ms, 8.0 GB/s\n"
GOOD = f"device    a device\nsize      N = 1000\nresult    7056\nexpected  7056\n{TIME}PASSED\n"
DEVICES = """device    a device
chosen    0:1, a GPU
platform  a platform
  0:0  another device
  0:1  a device <- the one that the chapters use
the rest
PASSED
"""
LIST = {"OUTPUT": "devices", "ARGUMENTS": ""}
NO_BLOCK = "the output is not: device, size, result, expected, times, PASSED"
# What the program prints, its last shell command, what is said of it, and what else is given.
CASES = {
    "right": (GOOD, "", "", {}),
    "right, a list": (DEVICES, "", "", LIST),
    "right, three arguments": (GOOD, '[ "$#:$1:$2:$3" = 3:17:33:65 ]', "", {"ARGUMENTS": "17 33 65"}),
    "right, its default": (GOOD, "", "", {"ARGUMENTS": "", "usage": "N (default 1000)\n"}),
    "another default": (GOOD, "", "which is not the default", {"ARGUMENTS": "", "usage": "N (default 1024)\n"}),
    "exit code": (GOOD, "exit 1", "exit code 1, where 0 was expected", {}),
    "signal": (GOOD, "ulimit -c 0; kill -SEGV $$", ", where 0 was expected", {}),
    "says nothing": ("", "", NO_BLOCK, {}),
    "FAILED with exit code 0": (GOOD.replace("PASSED", "FAILED"), "", NO_BLOCK, {}),
    "PASSED and then FAILED": (GOOD + "FAILED\n", "", NO_BLOCK, {}),
    "no result": (GOOD.replace("result    7056\n", ""), "", NO_BLOCK, {}),
    "another line between": (GOOD.replace("time", "a word\ntime"), "", NO_BLOCK, {}),
    "no time where one is asked for": (GOOD.replace(TIME, ""), "", "no line with a time", {}),
    "a wrong candidate": (GOOD, "echo 'search    a shape: WRONG, left out' >&2", "computes a wrong result", {}),
    "another device marked": (DEVICES.replace("0:1, a", "0:0, a"), "", "the list with that device marked", LIST),
}


@pytest.mark.parametrize("what", CASES)
def test_run_chapter(tmp_path, what):
    out, last, said, more = CASES[what]
    given = {"ARGUMENTS": "1000", "OUTPUT": "", "usage": "", **more}
    program, host = tmp_path / "program", tmp_path / "host.cpp"
    (tmp_path / "out").write_text(out)
    (tmp_path / "usage").write_text(given.pop("usage"))
    program.write_text(f'#!/bin/sh\ncd "${{0%/*}}"\n[ "$1" = --help ] && exec cat usage\ncat out\n{last}\n')
    program.chmod(0o755)
    host.write_text("clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);\n")
    options = [f"-D{name}={value}" for name, value in {"PROGRAM": program, "HOST": host, **given}.items()]
    script = running.ROOT / "common" / "run_chapter.cmake"
    code, _, err = running.run([os.environ.get("CMAKE", "cmake"), *options, "-P", script])
    err = " ".join(err.split())  # CMake breaks the lines of its messages
    assert (code != 0) == bool(said) and said in err, err
