"""What students get: git archive, without solutions, and it still works.

Nothing of solution/, wrong.txt and right.txt is in it, nor the teacher's page, grade.sh or the checks on the chapters; it is small;
its links lead somewhere; a starter is refused there, and a solution passes. With `full`, it configures and builds, the
chapters' tests pass, and so do the tests of answers. Takes what is committed; skipped where this is no git checkout.
"""

import base64
import json
import re
import shutil
import sys
import tarfile
import textwrap

import pytest

from tests import running
from tests.running import ROOT


def run(command, cwd, code=0, said="", **env):
    """Runs a command that is to end with that code, and to say that; returns what it said."""
    usual = {"BUILD_DIR": None, "OCLGRIND": running.find_oclgrind()}
    got, out, err = running.run(command, cwd=cwd, timeout=900, env={**usual, **env})
    assert got == code and said in " ".join((out + err).split()), f"{command}: {got}\n{out}{err}"
    return out + err


def workflow(folder, one):
    """What classroom.yml runs at a push, on the copy with the exercises of one chapter only, for the sake of time."""
    text = (folder / ".github/workflows/classroom.yml").read_text()
    script = textwrap.dedent(
        re.search(r"name: Check the answers\n.*?run: \|\n(.*?)\n      - ", text, re.DOTALL).group(1)
    )
    small = folder.parent / "push"
    shutil.copytree(folder, small)
    for other in small.glob("[0-9][0-9]-*/exercises"):
        if other.parent.name != one.parent.parent.name:
            shutil.rmtree(other)

    def push(code):
        """(points, of how many, status) for GitHub Classroom, and the summary."""
        told, output = small / "summary.md", small / "output"
        for path in (told, output):
            path.unlink(missing_ok=True)
        env = {"GITHUB_STEP_SUMMARY": str(told), "GITHUB_OUTPUT": str(output), "EXERCISES": ""}
        run(["bash", "-e", "-c", script], small, code, **env)
        result = json.loads(base64.b64decode(output.read_text().removeprefix("result=")))
        points = sum(test["score"] for test in result["tests"]), result["max_score"], result["status"]
        return points, told.read_text()

    # One answer is right, the others are not begun: green, and only what was begun has been looked at.
    points, told = push(0)
    assert points == (1, 3, "pass") and "1 of 3 points" in told, told
    assert told.count("| not started | 0 of 1 |") == 2, told
    answers = json.loads((small / "results.json").read_text())["answers"]
    assert len(answers) == 3 and len([a for a in answers if a["lines"]]) == 1, answers
    # A wrong answer: red, with what the check said in full.
    wrong = next(small.glob("06-*/exercises/2-*")) / "kernel.cl"
    wrong.write_text(wrong.read_text() + "// begun\n")
    points, told = push(1)
    lines = told.partition("````text")[2]
    assert points[2] == "fail" and "| not yet | 0 of 1 |" in told and "PoCL" in lines and "…" not in told, told
    wrong.unlink()
    assert "kernel.cl is missing" in push(1)[1]


def of_the_archive(folder, names):
    """What is in it and what is not; `names` as tar has them."""
    tracked = run(["git", "ls-tree", "-r", "--name-only", "HEAD"], ROOT).splitlines()
    exercises = [n for n in tracked if "/exercises/" in n]
    hidden = [n for n in exercises if "/solution/" in n or n.endswith(("/wrong.txt", "/right.txt"))]
    starters = [n for n in exercises if n not in hidden]
    assert hidden and not [n for n in names if "solution" in n.split("/") or n.endswith(("/wrong.txt", "/right.txt"))]
    assert not [n for n in starters if f"class/{n}" not in names]
    assert not [n for n in names if re.search("teaching|grade|answers.md|lecture|/tests/|mutants", n)]
    texts = {(folder / n).read_bytes() for n in starters if n.endswith((".cl", ".cpp"))}
    solutions = [ROOT / n for n in hidden if "/solution/" in n]
    changed = [path for path in solutions if path.read_bytes() != (path.parent.parent / path.name).read_bytes()]
    assert not [path for path in changed if path.read_bytes() in texts], "a starter is another exercise's solution"
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 3 << 20
    for page in sorted(folder.rglob("*.md")):
        text = re.sub(r"(?ms)^```.*?^```|`[^`\n]+`", "", page.read_text())  # code is no link
        for link in re.findall(r"\]\(([^)#\s]+)", text):
            left_out = link == "docs/teaching.md"  # README.md says that it is
            assert re.match(r"\w+:", link) or (page.parent / link).exists() or left_out, f"{page}: {link} leads nowhere"


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_students_copy(tmp_path, full):
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    folder, archive = tmp_path / "class", tmp_path / "class.tar"
    run(["git", "archive", "--format=tar", "--prefix=class/", "-o", archive, "HEAD"], ROOT)
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path)
        of_the_archive(folder, tar.getnames())
    one = next(folder.glob("06-*/exercises/1-*"))
    check = [sys.executable, "-m", "checker.cli", "06/1"]
    assert "passed" not in run(check, folder, 1, "which barrier is missing?")
    shutil.copy(ROOT / one.relative_to(folder) / "solution/kernel.cl", one)
    run(check, folder, 0, "passed")
    workflow(folder, one)
    if not full:
        return
    run(["cmake", "-S", folder, "-B", folder / "build", "-D", "CHECK_ANSWERS=ON"], folder, 0, "copy for students")
    run(["cmake", "--build", folder / "build", "-j", "2"], folder)
    ctest = ["ctest", "--test-dir", folder / "build", "--output-on-failure", "-R"]
    run([*ctest, "^06-"], folder, 0, "100% tests passed")
    run([*ctest, "answers.06.[12]"], folder, 8, "50% tests passed, 1 tests failed")
