"""Do the commands of README.md do what it says, on a fresh system with git and nothing else?

    python3 tests/run.py fresh trixie             as root, then as an ordinary user who may use sudo
    python3 tests/run.py fresh trixie student     one of them: root or student
    python3 tests/run.py fresh trixie student short     of the everyday tests only those of the labels SHORT, as in CI
    python3 tests/run.py fresh noble root parallel      the everyday tests, then five times more, eight at once, each time
                                                        with nothing in PoCL's cache

tests/fresh_systems/root.sh makes the systems: bookworm, trixie, noble. On each, a clone of this checkout, with what is committed,
lies in a folder with a space in its name; ./run.sh, ./test.sh and ./check.sh run there, the latter on an
exercise that has its solution in place. What was seen is written to build/where/fresh-SYSTEM.json, unless it was short.
"""

import datetime
import json
import re
import tempfile

from tests import running

ROOT_SH = running.ROOT / "tests" / "fresh_systems" / "root.sh"
EXERCISE = "06/1"
# What is other than on the machine that runs the rest of CI: implementation, compiler, Oclgrind, and a path with a space.
SHORT = "chapters|printed-times|set-up|itself"
STEPS = rf"""
cp -r /checkout.git ~/checkout.git && git clone --quiet ~/checkout.git ~/"a folder/opencl" &&
  cd ~/"a folder/opencl" || exit 1
step() {{ "$@" 2>&1; printf '==== %s: exit code %d\n' "$1" $?; }}
step ./run.sh
step ./test.sh $TEST_OPTIONS
for i in $(seq $PARALLEL); do rm -rf build/pocl-cache; step ctest --preset default -j8; done
cp {EXERCISE.replace("/", "-*/exercises/")}-*/solution/* {EXERCISE.replace("/", "-*/exercises/")}-*/
step ./check.sh {EXERCISE}
. /etc/os-release && echo "system          $PRETTY_NAME"
echo "implementation  PoCL $(dpkg-query -W -f '${{Version}}' pocl-opencl-icd | sed 's/-.*//'), CPU"
"""
# What each command must have printed for its exit code 0: the words that count.
VERDICTS = {
    "./run.sh": r"^(\d+) of \1 chapters passed$",
    "./test.sh": r"^100% tests passed, 0 tests failed out of (\d+)$",
    "ctest": r"^100% tests passed, 0 tests failed out of (\d+)$",
    "./check.sh": r"^ *=> +passed$",
}


def said(key, text):
    found = re.search(rf"^{key}  +(.+)$", text, re.MULTILINE)
    return found.group(1) if found else "not said"


def one_user(report, system, user, short, parallel):
    """Runs the commands as this user; returns what was printed, None if not all of it is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        clone = f"{folder}/checkout.git"
        running.run(["git", "clone", "--quiet", "--bare", "--depth", "1", f"file://{running.ROOT}", clone], check=True)
        as_user = ["--user"] if user != "root" else []
        options = [f"TEST_OPTIONS={f'-L ^({SHORT})$' if short else ''}", f"PARALLEL={5 * parallel}"]
        command = [ROOT_SH, "run", system, *as_user, "--bind", clone, "/checkout.git"]
        command += ["env", *options, "bash", "-c", STEPS]
        _, out, err = running.run(command, timeout=6000)
    parts = re.split(r"^==== (\S+): exit code (\d+)\n", out, flags=re.MULTILINE)
    steps = list(zip(parts[1::3], parts[2::3], parts[0::3]))
    good = report.must(
        f"{system}, {user}: all steps were run",
        len(steps) == 3 + 5 * parallel,
        f"{len(steps)} of them\n{out}{err}"[-8000:],
    )
    for name, code, text in steps:
        found = re.search(VERDICTS[name], text, re.MULTILINE)
        skipped = re.findall(r"^\s*\d+ - (\S+) \(Skipped\)$", text, re.MULTILINE)
        what = f"{system}, {user}, {name}{', short' * short}: {found.group() if found else f'exit code {code}'}"
        what += f"; skipped: {' '.join(skipped)}" if skipped else ""
        good &= report.must(what, code == "0" and found is not None, text[-8000:])
    return out if good else None


def check(report, words):
    ways = {"short", "parallel"} & set(words)
    system, *users = [word for word in words if word not in ways] or [""]
    if system not in ("bookworm", "trixie", "noble") or set(users) - {"root", "student"}:
        raise SystemExit(__doc__)
    code, out, err = running.run([ROOT_SH, "make", system], timeout=1800)
    if code == running.SKIPPED:
        raise running.Skip(err.strip())
    if report.failed(f"root.sh make {system}", [err] if code else []):
        return
    seen = [
        one_user(report, system, user, "short" in ways, "parallel" in ways) for user in users or ["root", "student"]
    ]
    if None in seen or "short" in ways:
        return
    chapters = re.search(VERDICTS["./run.sh"], seen[0], re.MULTILINE).group(1)
    exercises = len(list(running.ROOT.glob("[0-9][0-9]-*/exercises/*/exercise.json")))
    record = {
        "system": said("system", seen[0]),
        "implementation": said("implementation", seen[0]),
        "chapters": f"{chapters} of {chapters}",
        "exercises": f"1 of {exercises}",
        "command": f"./run.sh && ./test.sh && ./check.sh {EXERCISE}",
        "date": datetime.date.today().isoformat(),
    }
    file = running.BUILD / "where" / f"fresh-{system}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=1) + "\n")
