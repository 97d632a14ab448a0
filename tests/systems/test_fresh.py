"""Do the commands of README.md do what it says, on a fresh system with git and nothing else?

tests/fresh_systems/root.sh makes the systems: bookworm, trixie, noble. On each, a clone of this checkout, with what is committed,
lies in a folder with a space in its name; ./run.sh, ./test.sh and ./check.sh run there, the latter on an exercise that has its
solution in place. without_root is what a laboratory's machine has: a compiler, make and Python, and users who may install nothing.
"""

import re

import pytest

from tests import running

ROOT_SH = running.ROOT / "tests" / "fresh_systems" / "root.sh"
# Each command, and what it must have printed for its exit code 0: the words that count.
STEPS = {
    "./run.sh": r"^(\d+) of \1 chapters passed$",
    "./test.sh": r"^(\d+) passed.* in .*$",
    "cp 06-*/exercises/1-*/solution/* 06-*/exercises/1-*/ && ./check.sh 06/1": r"^ *=> +passed$",
}
COMMANDS = rf"""
cp -r /checkout.git ~/checkout.git && git clone --quiet ~/checkout.git ~/"a folder/opencl" &&
  cd ~/"a folder/opencl" || exit 1
for step in {" ".join(f"'{step}'" for step in STEPS)}; do
  eval "$step" 2>&1; printf '==== exit code %d\n' $?
done
"""
WITHOUT_ROOT = """
apt-get -qq update && apt-get -qq install -y --no-install-recommends g++ make python3-venv && rm /etc/sudoers.d/student || exit 1
exec runuser -u student -- env HOME=/home/student bash -c '
  cd && cp -r /checkout.git checkout.git && git clone --quiet checkout.git opencl-lessons && cd opencl-lessons && tools/without_root.sh ~/own &&
    . ~/own/env && ./run.sh'
"""


def run_on(system, folder, script, *options):
    """Makes a system if it is not there, and runs a script on it; returns exit code, output, errors."""
    code, _, err = running.run([ROOT_SH, "make", system], timeout=1800)
    if code == running.SKIPPED:
        pytest.skip(err.strip())
    assert code == 0, err
    clone = folder / "checkout.git"
    running.run(["git", "clone", "--quiet", "--bare", "--depth", "1", f"file://{running.ROOT}", clone], check=True)
    command = [ROOT_SH, "run", system, *options, "--bind", clone, "/checkout.git", "bash", "-c", script]
    return running.run(command, timeout=6000)


@pytest.mark.release
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("user", ["root", "student"])
@pytest.mark.parametrize("system", ["bookworm", "trixie", "noble"])
def test_fresh(report, tmp_path, system, user):
    _, out, err = run_on(system, tmp_path, COMMANDS, *["--user"] * (user != "root"))
    parts = re.split(r"(?m)^==== exit code (\d+)\n", out)
    report.must("all steps were run", len(parts) == 2 * len(STEPS) + 1, f"{out}{err}"[-8000:])
    for (step, verdict), text, code in zip(STEPS.items(), parts[::2], parts[1::2]):
        found = re.search(verdict, text, re.MULTILINE)
        skipped = " ".join(re.findall(r"(?m)^SKIPPED.*", text))
        what = f"{system}, {user}, {step}: {found.group() if found else f'exit code {code}'} {skipped}"
        report.must(what, code == "0" and found, text[-8000:])


@pytest.mark.release
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("system", ["bookworm", "trixie", "noble"])
def test_fresh_without_root(tmp_path, system):
    """The chapters, by tools/without_root.sh; the one that wants MPI is left out."""
    code, out, err = run_on(system, tmp_path, WITHOUT_ROOT)
    assert code == 0 and re.search(r"(?m)^(\d+) of \1 chapters passed$", out), f"{out}{err}"[-8000:]


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_container():
    """The container of .devcontainer/ builds, and what README.md says works in it (container.sh)."""
    code, out, err = running.run([running.ROOT / "tests" / "systems" / "container.sh"], timeout=3600)
    if code == running.SKIPPED:
        pytest.skip((out + err).strip().splitlines()[-1])
    assert code == 0, out + err
