"""One chapter on machines that are not as they should be.

Each condition states what must come of it: the right result, or exit code 1 with a message that says
certain words. Never a signal, and never PASSED without being right.

The chapters share most of the code that meets these conditions. So without `full` all of them are tried on two chapters,
and on the others one of each kind.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from tests import chapter_facts, running

# All conditions: the first, which spells its set-up out; and one that stands for all that use common/.
ALL = (running.CHAPTERS[0], running.CHAPTERS[8])
VENDORS = pathlib.Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))


class Conditions:
    """Runs a program under one condition after the other."""

    def __init__(self, report, program, arguments):
        self.report = report
        # 01 takes the first device that it finds; 02 and all others have common/device.h's way, for which 02 stands.
        self.names_all = program.name[:2] != "01"
        self.asks_all = program.name[:2] in ("01", "02")
        self.command = [str(program)] + arguments

    def judge(self, what, code, out, err, words):
        """Without `words`, the run must pass; with them, it must fail and say them; with a list whose
        first is "or", either."""
        passed = code == 0 and "PASSED" in out.splitlines()
        either = words[:1] == ["or"]
        refused = code == 1 and "PASSED" not in out + err and all(word in err for word in words[either:])
        good = passed and (either or not words) or refused and words
        outcome = "passes" if passed else (err.strip().splitlines() or ["no message"])[0][:90]
        found = f"exit code {code}, expected to {'say ' + str(words) if words else 'pass'}\noutput: {out}{err}"
        self.report.must(f"{what}: {outcome}", good and not running.crashed(code, err), found)

    def run(self, what, *words, command=None, **options):
        self.judge(what, *running.run(command or self.command, **options), list(words))

    def skip(self, what, why):
        self.report.count("skipped")
        print(f"SKIPPED {what}: {why}")


def icd_folder(folder, name, **icds):
    """A folder of .icd files, each naming a library; `real` copies the machine's own as well."""
    vendors = folder / name
    vendors.mkdir()
    for file, library in icds.items():
        if file == "real":
            for icd in [VENDORS] if VENDORS.is_file() else VENDORS.glob("*.icd"):
                shutil.copy(icd, vendors)
        else:
            (vendors / f"{file}.icd").write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(vendors), "OCL_ICD_PLATFORM_SORT": "none"}


def on_paper(device, **settings):
    """The environments in which a device on paper is the only one, and in which it comes before the real ones."""
    return [running.layered(types=device, on_paper=1, beside=beside, **settings) for beside in (0, 1)]


def implementations(test, folder):
    missing = "/no/such/folder/libOpenCL-missing.so"
    test.run("no OpenCL implementation", "CL_PLATFORM_NOT_FOUND_KHR", env=icd_folder(folder, "broken", a=missing))
    test.run("only a platform without devices", "no OpenCL device found", env=running.layered(types="/", on_paper=1))
    many = {
        **icd_folder(folder, "several", b=missing, c="", real=""),
        **running.layered(types="/", on_paper=1, beside=1),
    }
    test.run("such, a library that is missing and an empty .icd file beside good ones", env=many)
    for call in ["clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo"]:
        for code in [-2, -5, -6, -30, -32, -1001, -9999] if test.asks_all else [-6]:
            if test.names_all or call == "clGetDeviceIDs":
                alone, beside = on_paper("gpu", paper_fails=f"{call} {code}")
                test.run(f"{call} fails with {code}", f"({code}): ", "no OpenCL device found", env=alone)
                test.run(f"{call} fails with {code} beside a platform that works", env=beside)
    for device in ["taken", "ready-made", "old"] if test.names_all else []:
        alone, beside = on_paper(device)
        test.run(f"a GPU that is {device}", "is passed over: it ", "no OpenCL device found", env=alone)
        test.run(f"a GPU that is {device} beside a CPU", env=beside)
        test.run("... and OCL_DEVICE names it", "CL_DEVICE_NOT_AVAILABLE", env={**beside, "OCL_DEVICE": "paper"})


def places(test, chapter, folder):
    test.run("working directory /", cwd="/")
    test.run("nothing in the environment but PATH", command=["env", "-i", "PATH=/usr/bin:/bin"] + test.command)
    home = folder / "Übungen für OpenCL, 第一" / chapter
    home.mkdir(parents=True)
    program = pathlib.Path(shutil.copy(test.command[0], home))
    kernels = sorted((running.ROOT / chapter).glob("*.cl"))
    for kernel in kernels:
        shutil.copy(kernel, home)
    test.run("a path with spaces and letters that are not ASCII", command=[str(program)] + test.command[1:], cwd="/")
    link = folder / "link"
    link.symlink_to(program)
    test.run("called through a link", command=[str(link)] + test.command[1:], cwd="/")
    for how, end in [("with CRLF line ends", b"\r\n"), ("without a last line end", b"")] if kernels else []:
        for kernel in kernels:
            text = kernel.read_bytes()
            (home / kernel.name).write_bytes(text.replace(b"\n", end) if end else text.rstrip(b"\n"))
        test.run(f"kernel files {how}", command=[str(program)] + test.command[1:])


def homes(test, folder):
    unset = {"XDG_CACHE_HOME": None, "POCL_CACHE_DIR": None}
    test.run("HOME not set", env={**unset, "HOME": None})
    test.run("HOME not there", "or", "POCL_CACHE_DIR", env={**unset, "HOME": "/no/such/home"})
    test.run("HOME not writable", "or", "POCL_CACHE_DIR", env={**unset, "HOME": "/proc"})
    test.run("folder for temporary files not there", "or", "CL", env={"TMPDIR": "/no/such/folder"})
    test.run("kernel cache not writable", "or", "POCL_CACHE_DIR", env={"POCL_CACHE_DIR": "/proc/cache"})
    full = folder / "full"
    full.mkdir()
    script = (
        'mount -t tmpfs -o size=64k full "$1" 2>/dev/null || exit 77; '
        'head -c 1000000 /dev/zero >"$1/filler" 2>/dev/null; mkdir "$1/cache" 2>/dev/null; '
        'export POCL_CACHE_DIR="$1/cache"; shift; exec "$@"'
    )
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", str(full)]
    if shutil.which("unshare") is None or subprocess.run(command + ["true"], capture_output=True).returncode != 0:
        test.skip("disk full for the kernel cache", "this machine lets no file system be mounted")
    else:
        test.run("disk full for the kernel cache", "or", "CL", command=command + test.command)


def little_memory(test, folder):
    """The device would have room for vectors of 1.6 GB each, and the host has not. (How much PoCL says it has changes
    with what else this machine holds.)"""
    what, refusal = "no memory for the host's copies", "the host has no memory left"
    if shutil.which("prlimit") is None:
        return test.skip(what, "no prlimit (on Debian and Ubuntu: apt install util-linux)")
    roomy = folder / "roomy"
    roomy.write_text("global_memory 100000000000\nbuffer 25000000000\n")
    command = ["prlimit", "--as=2500000000", test.command[0], "400000000"]
    test.run(what, refusal, command=command, env=running.as_device(roomy))


def at_once(test, folder):
    """What README.md advises, a cache for each, must pass; in one cache, PoCL before 6 may fail to build."""
    for what, caches, words in [("a cache each", "123", []), ("one cache", "444", ["or", "CL_BUILD_PROGRAM_FAILURE"])]:
        running = [
            subprocess.Popen(
                test.command,
                env={**os.environ, "POCL_CACHE_DIR": str(folder / "caches" / name)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in caches
        ]
        for number, process in enumerate(running, 1):
            out, err = process.communicate(timeout=120)
            test.judge(f"three at once, {what}, nothing in it: number {number}", process.returncode, out, err, words)


@pytest.mark.thorough
def test_hostile(report, chapter, full):
    known = chapter_facts.of(chapter)
    test = Conditions(report, running.program(chapter), known.TINY_SIZE)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        places(test, chapter, folder)
        if full or chapter in ALL:
            implementations(test, folder)
            homes(test, folder)
            at_once(test, folder)
            if known.PARAMETERS and not known.IS_MATRIX:
                little_memory(test, folder)
