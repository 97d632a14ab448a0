"""Do the commands of README.md do what it says, on a fresh system with git and nothing else?

tests/fresh_systems/root.sh makes the systems: bookworm, trixie, noble. On each, a clone of this checkout, with what is committed,
lies in a folder with a space in its name; ./run.sh, ./test.sh and ./check.sh run there, the latter on an
exercise that has its solution in place. test_fresh_short, as in CI, runs one chapter's everyday tests only.
"""

import re
import tempfile

import pytest

from tests import running

ROOT_SH = running.ROOT / "tests" / "fresh_systems" / "root.sh"
EXERCISE = "06/1"
# What is other than on the machine that runs the rest of CI: implementation, compiler, Oclgrind, and a path with a space.
SHORT = "-k 06"
STEPS = rf"""
cp -r /checkout.git ~/checkout.git && git clone --quiet ~/checkout.git ~/"a folder/opencl" &&
  cd ~/"a folder/opencl" || exit 1
step() {{ "$@" 2>&1; printf '==== %s: exit code %d\n' "$1" $?; }}
step ./run.sh
step ./test.sh $TEST_OPTIONS
cp {EXERCISE.replace("/", "-*/exercises/")}-*/solution/* {EXERCISE.replace("/", "-*/exercises/")}-*/
step ./check.sh {EXERCISE}
"""
# What each command must have printed for its exit code 0: the words that count.
VERDICTS = {
    "./run.sh": r"^(\d+) of \1 chapters passed$",
    "./test.sh": r"^(\d+) passed.* in .*$",
    "./check.sh": r"^ *=> +passed$",
}
# What a laboratory's machine has: a compiler, make and Python, and users who may install nothing.
WITHOUT_ROOT = """
apt-get -qq update && apt-get -qq install -y --no-install-recommends g++ make python3-venv && rm /etc/sudoers.d/student || exit 1
exec runuser -u student -- env HOME=/home/student bash -c '
  cd && cp -r /checkout.git checkout.git && git clone --quiet checkout.git opencl-lessons && cd opencl-lessons && tools/without_root.sh ~/own &&
    . ~/own/env && ./run.sh'
"""


def bare_clone(folder):
    clone = f"{folder}/checkout.git"
    running.run(["git", "clone", "--quiet", "--bare", "--depth", "1", f"file://{running.ROOT}", clone], check=True)
    return clone


def one_user(report, system, user, short):
    """Runs the commands as this user."""
    with tempfile.TemporaryDirectory() as folder:
        clone = bare_clone(folder)
        as_user = ["--user"] if user != "root" else []
        options = [f"TEST_OPTIONS={SHORT if short else ''}"]
        command = [ROOT_SH, "run", system, *as_user, "--bind", clone, "/checkout.git"]
        command += ["env", *options, "bash", "-c", STEPS]
        _, out, err = running.run(command, timeout=6000)
    parts = re.split(r"^==== (\S+): exit code (\d+)\n", out, flags=re.MULTILINE)
    steps = list(zip(parts[1::3], parts[2::3], parts[0::3]))
    report.must(
        f"{system}, {user}: all steps were run",
        len(steps) == 3,
        f"{len(steps)} of them\n{out}{err}"[-8000:],
    )
    for name, code, text in steps:
        found = re.search(VERDICTS[name], text, re.MULTILINE)
        skipped = re.findall(r"^SKIPPED.*", text, re.MULTILINE)
        what = f"{system}, {user}, {name}{', short' * short}: {found.group() if found else f'exit code {code}'}"
        what += f"; skipped: {' '.join(skipped)}" if skipped else ""
        report.must(what, code == "0" and found is not None, text[-8000:])


def make(report, system):
    code, out, err = running.run([ROOT_SH, "make", system], timeout=1800)
    if code == running.SKIPPED:
        pytest.skip(err.strip())
    report.failed(f"root.sh make {system}", [err] if code else [])


@pytest.mark.release
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("user", ["root", "student"])
@pytest.mark.parametrize("system", ["bookworm", "trixie", "noble"])
def test_fresh(report, system, user):
    make(report, system)
    if not report.failures:
        one_user(report, system, user, False)


@pytest.mark.release
@pytest.mark.timeout(2400)
def test_fresh_short(report):
    """As somebody with a new machine would, on a system that CI does not run on."""
    make(report, "trixie")
    if not report.failures:
        one_user(report, "trixie", "student", True)


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_fresh_without_root(report):
    """The chapters, by tools/without_root.sh; the one that wants MPI is left out."""
    make(report, "bookworm")
    if report.failures:
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [
            ROOT_SH,
            "run",
            "bookworm",
            "--bind",
            bare_clone(folder),
            "/checkout.git",
            "bash",
            "-c",
            WITHOUT_ROOT,
        ]
        code, out, err = running.run(command, timeout=3600)
    passed = re.search(r"^(\d+) of \1 chapters passed$", out, re.MULTILINE)
    report.must(
        f"without root: {passed.group() if passed else 'not passed'}", code == 0 and passed, f"{out}{err}"[-8000:]
    )
