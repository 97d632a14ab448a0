"""Runs a program under the fault layer (layer.cpp) and reads the layer's account of the run."""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402

LAYER = os.environ.get("LAYER", str(chapters.BUILD / "tests" / "faults" / "libfault_layer.so"))


def code_names():
    """The codes' names as the OpenCL headers give them: {-5: "CL_OUT_OF_RESOURCES", ...}."""
    header = pathlib.Path(os.environ.get("CL_HEADERS", "/usr/include")) / "CL" / "cl.h"
    names = {}
    for name, code in re.findall(r"^#define (CL_\w+)\s+(-\d+)\s*$", header.read_text(), re.MULTILINE):
        names.setdefault(int(code), name)  # the error codes come first; a build status is no error code
    names[-1001] = "CL_PLATFORM_NOT_FOUND_KHR"  # from CL/cl_icd.h, a comment there
    return names


class Account:
    """What the layer wrote about a run: `calls`, a list of function names; `failed`, the function
    that was made to fail and its code, or None; `lines`, the other lines by their first word."""

    def __init__(self, text):
        self.lines = {}
        for line in text.splitlines():
            key, *words = line.split(maxsplit=1)
            self.lines.setdefault(key, []).extend(words)
        self.calls = self.lines.get("call", [])
        self.failed = None
        if "failed" in self.lines:
            function, code = self.lines["failed"][0].split()
            self.failed = (function, int(code))

    def amount(self, key):
        """The sum of the numbers at the end of all lines that begin with `key`."""
        return sum(int(words.split()[-1]) for words in self.lines.get(key, []))


def run(command, timeout=120, cache=None, **settings):
    """Runs a command under the layer with settings such as fail=3; returns (exit code, standard
    output, standard error, account). The layer not being loaded at all is an error. `cache` is the
    folder where 16 remembers its winner; without, it remembers none and searches."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        env = {"OPENCL_LAYERS": LAYER, "LAYER_REPORT": str(report), **chapters.remembering(cache or folder)}
        env.update({f"LAYER_{key.upper()}": str(value) for key, value in settings.items()})
        code, out, err = chapters.run(command, env=env, timeout=timeout)
        if code < 0 and not report.exists():
            return code, out, err, Account("")
        if not report.exists():
            raise SystemExit(f"FAILED  the ICD loader did not load the layer {LAYER}, so nothing was tested\n{err}")
        return code, out, err, Account(report.read_text())


SEARCHED = "20-matmul-autotuned"


def remember_another(cache, err, kind):
    """Makes 16 remember the first winner of a kind, "tiles" or "panels", among those that it tried, by its
    standard error. Returns the winner, or None where there is none of this kind."""
    tried = re.findall(rf"round 1, \d+ of \d+: ({kind} .*?): ", err)
    for path in pathlib.Path(cache).rglob(f"{SEARCHED}-*.txt") if tried else []:
        path.write_text(re.sub("\nwinner .*", f"\nwinner {tried[0]}", path.read_text()))
    return tried[0] if tried else None
