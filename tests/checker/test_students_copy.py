"""What students get: git archive, without solutions, and it still works.

Nothing of solution/, wrong.txt and right.txt is in it, nor the teacher's page, grade.sh or the checks on the chapters; it is small;
its links lead somewhere; a starter is refused there, and a solution passes. With `full`, it configures and builds, the
chapters' tests pass, and so do the tests of answers. Takes what is committed; skipped where this is no git checkout.
"""

import base64
import json
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import textwrap

import pytest

from tests import running
from tests.running import ROOT


def run(command, cwd):
    code, out, err = running.run(
        command, cwd=cwd, timeout=600, env={"BUILD_DIR": None, "OCLGRIND": running.find_oclgrind()}
    )
    return code, out + err


def workflow(report, folder, one):
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

    def push():
        told = small / "summary.md"
        told.unlink(missing_ok=True)
        output = small / "output"
        output.unlink(missing_ok=True)
        env = {"BUILD_DIR": None, "OCLGRIND": running.find_oclgrind(), "EXERCISES": ""}
        env |= {"GITHUB_STEP_SUMMARY": str(told), "GITHUB_OUTPUT": str(output)}
        code, out, err = running.run(["bash", "-e", "-c", script], cwd=small, timeout=900, env=env)
        result = json.loads(base64.b64decode(output.read_text().removeprefix("result=")))
        points = sum(test["score"] for test in result["tests"]), result["max_score"], result["status"]
        return code, points, told.read_text() if told.exists() else "no summary\n" + out + err

    code, points, told = push()
    report.must(
        "a push with one answer right and others not begun is green",
        code == 0 and "1 of 3 points" in told and told.count("| not started | 0 of 1 |") == 2,
        told,
    )
    report.must("... and GitHub Classroom has its points", points == (1, 3, "pass"), str(points))
    answers = json.loads((small / "results.json").read_text())["answers"]
    looked = [a["exercise"] for a in answers if a["lines"]]
    report.must("... and only what was begun has been looked at", len(answers) == 3 and len(looked) == 1, str(looked))
    wrong = next(small.glob("06-*/exercises/2-*")) / "kernel.cl"
    wrong.write_text(wrong.read_text() + "// begun\n")
    code, points, told = push()
    lines = told.partition("````text")[2]
    report.must(
        "a push with a wrong answer is red, and its summary has what the check said in full",
        code == 1 and "| not yet | 0 of 1 |" in told and "PoCL" in lines and "…" not in told and points[2] == "fail",
        told,
    )
    wrong.unlink()
    code, points, told = push()
    report.must("a push without the file is red", code == 1 and "kernel.cl is missing" in told, told)


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_students_copy(report, full):
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "class"
        archive = pathlib.Path(name) / "class.tar"
        code, out = run(["git", "archive", "--format=tar", "--prefix=class/", "-o", archive, "HEAD"], ROOT)
        report.must("git archive", code == 0, out)
        with tarfile.open(archive) as tar:
            names = tar.getnames()
            tar.extractall(name)
        _, tracked = run(["git", "ls-tree", "-r", "--name-only", "HEAD"], ROOT)
        tracked = tracked.splitlines()
        hidden = [
            n for n in tracked if "/exercises/" in n and ("/solution/" in n or n.endswith(("/wrong.txt", "/right.txt")))
        ]
        starters = [n for n in tracked if "/exercises/" in n and n not in hidden]
        report.must(f"{len(hidden)} files of solutions and wrong answers are in the repository", len(hidden) > 0)
        leaked = [n for n in names if "solution" in n.split("/") or n.endswith(("/wrong.txt", "/right.txt"))]
        report.must("none of them is in the archive", not leaked, "\n".join(leaked))
        missing = [n for n in starters if f"class/{n}" not in names]
        report.must(f"all {len(starters)} files of the starters are", not missing, "\n".join(missing))
        texts = {(folder / n).read_bytes() for n in starters if n.endswith((".cl", ".cpp"))}
        same = [
            n
            for n in hidden
            if "/solution/" in n
            and (ROOT / n).read_bytes() in texts
            and (ROOT / n.replace("/solution/", "/")).read_bytes() != (ROOT / n).read_bytes()
        ]
        report.must("no starter is another exercise's solution", not same, "\n".join(same))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        report.must("it is smaller than 3 MiB", size < 3 << 20, f"{size} bytes")
        teachers = [n for n in names if re.search("teaching|grade|answers.md|lecture|/tests/|mutants", n)]
        report.must("nothing in it is the teacher's", not teachers, "\n".join(teachers))
        dead = []
        for page in sorted(folder.rglob("*.md")):
            text = re.sub(r"(?ms)^```.*?^```|`[^`\n]+`", "", page.read_text())  # code is no link
            for link in re.findall(r"\]\(([^)#\s]+)", text):
                if not re.match(r"\w+:", link) and not (page.parent / link).exists():
                    dead.append(f"{page.relative_to(folder)}: {link}")
        report.must("its links lead somewhere", not dead, "\n".join(dead))
        one = next(folder.glob("06-*/exercises/1-*"))
        code, out = run([sys.executable, "-m", "checker.cli", "06/1"], folder)
        report.must(
            "a starter is checked, and refused",
            code == 1 and "which barrier is missing?" in " ".join(out.split()) and "passed" not in out,
            out,
        )
        shutil.copy(ROOT / one.relative_to(folder) / "solution/kernel.cl", one)
        code, out = run([sys.executable, "-m", "checker.cli", "06/1"], folder)
        report.must("a solution passes", code == 0 and "passed" in out, out)
        workflow(report, folder, one)
        if not full:
            return
        code, out = run(["cmake", "-S", folder, "-B", folder / "build", "-D", "CHECK_ANSWERS=ON"], folder)
        report.must(
            "it configures, and says that it is a copy for students",
            code == 0 and "copy for students" in out,
            out,
        )
        code, out = run(["cmake", "--build", folder / "build", "-j", "2"], folder)
        report.must("it builds", code == 0, out)
        ctest = ["ctest", "--test-dir", folder / "build", "--output-on-failure", "-R"]
        code, out = run([*ctest, "^06-"], folder)
        report.must("a chapter's tests pass", code == 0 and "100% tests passed" in out, out)
        code, out = run([*ctest, "answers.06.[12]"], folder)
        report.must(
            "of the tests of answers, one passes and one does not",
            code != 0 and "50% tests passed, 1 tests failed" in out,
            out,
        )
