"""What the checks share: where things are, how to run a program, what counts as failed.

The build folder is the environment variable BUILD_DIR, or build/.
"""

import contextlib
import difflib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from checker.machine import BUILD, CHAPTERS, MPIRUN, NO_OCLGRIND, ROOT, find_oclgrind  # noqa: F401 for the tests
from tests.account import Account

LAYER = os.environ.get("LAYER", str(BUILD / "tests" / "liblayer.so"))
MPI_LAYER = os.environ.get("MPI_LAYER", str(BUILD / "tests" / "libmpi_layer.so"))
PATIENCE = float(os.environ.get("PATIENCE", "1"))  # how many times as long as usual a program may take
SKIPPED = 77  # the exit code by which a program says that something is missing


def skip(why):
    """Ends a test that cannot be made here; the text says what is missing."""
    import pytest  # which what is no test, but imports this, need not have

    pytest.skip(why)


def program(chapter, build=BUILD):
    """The path of a chapter's program; an error that says how to build it when it is not there."""
    path = build / chapter / chapter
    if not path.exists():
        raise SystemExit(f"{path} is not there: build first (cmake --build --preset default)")
    return path


def sources(chapter):
    """The folder of a chapter's host and kernels, with common/ beside it: where its program lies, if it is a mutant's, else
    the tree's."""
    beside = BUILD / chapter
    return beside if (beside / "host.cpp").exists() else ROOT / chapter


def compiler(chapter):
    """What compiles its host: mpicxx knows where MPI is."""
    mpi = "<mpi.h>" in (ROOT / chapter / "host.cpp").read_text()
    return "mpicxx" if mpi else os.environ.get("CXX", "c++")


def left_out(chapter, build=BUILD):
    """Why a chapter's program is not built here, as its CMakeLists.txt says: what it needs is missing. Else ""."""
    why = build / chapter / "left-out"
    return f"{chapter} is not built here: {why.read_text().strip()}" if why.exists() else ""


def has_kernel(chapter):
    return any((ROOT / chapter).glob("*.cl"))


WITH_KERNEL = list(filter(has_kernel, CHAPTERS))


def need_tool(name, package):
    """Returns the path of a program that only some checks need; without it, the check is skipped."""
    path = shutil.which(name)
    if path is None:
        skip(f"{name} is missing (on Debian and Ubuntu: apt install {package})")
    return path


class Report:
    """What a test looked at, by name, and what failed; tests/conftest.py gives one to each test that asks for it."""

    def __init__(self):
        self.counts, self.failures = {}, []  # failures: the first line of each

    def count(self, what, number=1):
        """`number` more of `what` were looked at: "runs", "cases"."""
        self.counts[what] = self.counts.get(what, 0) + number

    def must(self, what, good, found=""):
        """A case that must be so; `found` is shown where it is not."""
        self.count("cases")
        if good:
            print(f"ok      {what}", flush=True)
        else:
            self.failed(what, [indented(found).strip()])
        return good

    def ends(self, what, ended, code, *texts):
        """A run must have ended with this code and say each of the texts; it says PASSED where the code is 0, and only there."""
        got, out, err, *_ = ended
        wrong = crashed(got, err) if code else not_passed(got, out, err)
        wrong += [f"exit code {got}, where {code} was expected"] * (got != code)
        wrong += ["it says PASSED"] * (code != 0 and "PASSED" in out + err)
        wrong += [f"it does not say {text!r}" for text in texts if text not in out + err]
        return self.must(what, not wrong, "\n".join([*wrong, out, err]))

    def recorded(self, file, lines, record):
        """The lines must be those of a file, which is there where there are any; with `record` they are written into it."""
        if record and lines:
            file.write_text("\n".join([*lines, ""]))
        before = file.read_text().splitlines() if file.exists() else []
        found = list(difflib.unified_diff(before, lines, lineterm="", n=1))[2:]
        what = f"tests/{file.parent.name}/{file.name} says so (if a change is meant: the same command with --record)"
        self.must(what, not found, "\n".join(found[:12]))

    def failed(self, where, wrong):
        """Each of the sentences in `wrong` is a failure; returns whether there are any."""
        for what in wrong:
            print(f"FAILED  {where}: {what}", flush=True)
            self.failures.append(f"{where}: {what}".partition("\n")[0])
        return bool(wrong)

    def wrong(self):
        """The failures in short; nothing to have looked at is one."""
        if not any(self.counts.values()) and not self.failures:
            self.failed("this test", ["nothing was looked at"])
        return self.failures


def indented(text):
    return "\n        " + text.strip().replace("\n", "\n        ")


# ---- Running programs ---------------------------------------------------------------------------


def run(command, env=None, cwd=None, timeout=120, **options):
    """Runs a command; returns (exit code, standard output, standard error). A signal is negative.

    `env` is added to the environment, where a value that is None takes the variable out; `options` go to
    subprocess.run.
    """
    whole = {key: value for key, value in {**os.environ, **(env or {})}.items() if value is not None}
    done = subprocess.run(
        [str(c) for c in command],
        env=whole,
        cwd=cwd,
        timeout=timeout and timeout * PATIENCE,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        **options,
    )
    return done.returncode, done.stdout, done.stderr


def remembering(folder):
    """The environment in which a program that remembers something does so in a folder. PoCL, which would
    keep its compiled kernels there too, keeps them in POCL_CACHE_DIR."""
    return {"XDG_CACHE_HOME": str(folder)}


def uses_mpi(path):
    """Is a program linked to MPI? Of it, a process that is split off (`fork`) must not ask for MPI's end."""
    path = pathlib.Path(path)
    return path.is_file() and b"MPI_Finalize" in path.read_bytes()


def crashed(code, err):
    """What is wrong with the way a program ended, whatever it was to do: a list of sentences."""
    reports = [line for line in err.splitlines() if "Sanitizer" in line or "runtime error:" in line]
    return [f"ended by signal {-code}"] * (code < 0) + [f"a sanitizer reports: {line}" for line in reports[:1]]


def not_passed(code, out, err):
    """What is wrong with a run that is to pass: a list of sentences."""
    wrong = crashed(code, err)
    if code != 0 or "PASSED" not in out.splitlines():
        wrong.append(f"it does not pass, exit code {code}{indented(out + err)}")
    elif "WRONG" in err:  # a candidate of a search, which goes on without it
        wrong.append(f"one of the candidates computes a wrong result{indented(err)}")
    for result, expected in re.findall(r"^result +(.*)\nexpected +(.*)$", out, re.MULTILINE):
        if "allowed" not in expected and result != expected.partition(" (")[0]:
            wrong.append(f"it passes, and yet: result {result}, expected {expected}")
    return wrong


def need_oclgrind():
    """The same; without it, the check is skipped."""
    path = find_oclgrind()
    if path is None:
        skip(NO_OCLGRIND)
    return path


def on_oclgrind(command, *options, timeout=600):
    """Runs a command on Oclgrind's simulated device. Returns (exit code, standard output, standard
    error, what Oclgrind reports). Its exit code is 0 even when it reports, so that has to be read."""
    tool = need_oclgrind()
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        ended = run([tool, "--log", log, *options, *command], timeout=timeout, env=remembering(folder))
        return *ended, log.read_text() if log.exists() else ""


def run_test(file, chapter="", **options):
    """Runs one test of tests/, of one chapter where it knows chapters, in a process of its own."""
    words = ["-n", "0", "-p", "no:cacheprovider", "--tb", "short", *(["-k", chapter] if chapter else [])]
    return run([sys.executable, "-m", "pytest", *words, ROOT / "tests" / file], cwd=ROOT, **options)


# ---- Running under the layer (checker/layer/) ---------------------------------------------------


def code_names():
    """The codes' names as the OpenCL headers give them: {-5: "CL_OUT_OF_RESOURCES", ...}."""
    header = pathlib.Path(os.environ.get("CL_HEADERS", "/usr/include")) / "CL" / "cl.h"
    names = {}
    for name, code in re.findall(r"^#define (CL_\w+)\s+(-\d+)\s*$", header.read_text(), re.MULTILINE):
        names.setdefault(int(code), name)  # the error codes come first; a build status is no error code
    names[-1001] = "CL_PLATFORM_NOT_FOUND_KHR"  # from CL/cl_icd.h, a comment there
    return names


def preloaded(library):
    """The environment in which a program has this library first. LD_PRELOAD takes each word for one, and a checkout may
    lie in a folder with a blank in its name, so it gets a link. A sanitizer wants to be the first, and need not."""
    link = pathlib.Path(tempfile.gettempdir()) / f"{hashlib.sha256(library.encode()).hexdigest()[:16]}.so"
    with contextlib.suppress(FileExistsError):
        link.symlink_to(library)
    asan = os.environ.get("ASAN_OPTIONS", "detect_leaks=0")
    return {"LD_PRELOAD": str(link), "ASAN_OPTIONS": f"{asan}:verify_asan_link_order=0"}


def layered(profile=None, types=None, memory=None, **settings):
    """The environment in which a program has the layer, with settings such as fail=3. `profile`: a file of tests/devices/,
    or one like them, with what the devices say of themselves; `types`: there is one for each of these, up to four; `memory`:
    bytes that they have, and that a buffer may have."""
    said = pathlib.Path(profile).read_text(encoding="utf-8").splitlines() if profile else []
    lines = [f"{key} = {value}" for key, value in settings.items()]
    lines += ["device." + line.replace(" ", " = ", 1) for line in said if line and line[0] != "#"]
    lines += [f"devices = {types}"] * bool(types)
    lines += [f"device.global_memory = {memory}", f"device.buffer = {memory}"] * bool(memory)
    text = "\n".join(lines) + "\n"
    file = BUILD / "tests" / "settings" / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        new = file.with_suffix(f".{os.getpid()}")  # several tests may want it at once
        new.write_text(text)
        new.rename(file)
    own = {"POCL_DEVICES": "basic basic basic basic"} if types and "on_paper" not in settings else {}
    return {**preloaded(LAYER), **own, "LAYER_SETTINGS": str(file)}


def as_device(profile=None, types=None, **settings):
    """The same, with the device that the program takes by itself."""
    return {**layered(profile, types, **settings), "OCL_DEVICE": None}


def under_layer(command, timeout=120, cache=None, env=None, **settings):
    """Runs a command under the layer (layered); returns (exit code, standard output, standard error, account). The layer
    not being loaded at all is an error. `cache` is the folder where a program may find what it remembered; without, it finds
    nothing."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        whole = {**layered(log=log, commands=1, **settings), **remembering(cache or folder), **(env or {})}
        if uses_mpi(command[0]):
            whole["LD_PRELOAD"] = f"{whole['LD_PRELOAD']} {preloaded(MPI_LAYER)['LD_PRELOAD']}"
        for _ in range(4):
            log.unlink(missing_ok=True)
            code, out, err = run(command, env=whole, timeout=timeout)
            if "pocl_release_dlhandle_cache: Assertion" not in err:  # PoCL 5.0 and two sub-devices: docs/tools.md
                break
        pathlib.Path(whole["LAYER_SETTINGS"]).unlink()
        if not log.exists() and code >= 0:
            raise SystemExit(f"FAILED  the layer {LAYER} was not loaded, so nothing was tested\n{err}")
        return code, out, err, Account(log.read_text() if log.exists() else "")
