"""A table of points from what ./check.sh --json wrote, for the summary of a run on GitHub (classroom.yml), and the points
for GitHub Classroom.

    python3 checker/classroom_summary.py RESULTS.json [--summary FILE.md] [--output FILE]

--output takes a line "result=...", in the form that classroom-resources/autograding-grading-reporter reads: JSON in
base64, a test for each exercise. It makes the run red where the whole has failed, so what was not begun has no points
and is no failure.

Exit code 0 if every answer that was begun is right; 1 if not; 2 where there are no results.
"""

import argparse
import base64
import json
import pathlib
import re
import sys


def cell(text):
    """A text as a field of a Markdown table, which shows it as it is."""
    return re.sub(r"([\\`*_<>|#\[\]])", r"\\\1", " ".join(str(text).split()))


def summary(answers):
    points, most = sum(a["points"] for a in answers), sum(a["of"] for a in answers)
    lines = [
        f"## {points} of {most} points",
        "",
        "| exercise | verdict | points | what is wrong |",
        "|---|---|---|---|",
    ]
    for a in answers:
        wrong = "" if a["verdict"] in ("passed", "not started") else a["message"]
        lines.append(f"| {cell(a['exercise'])} | {cell(a['verdict'])} | {a['points']} of {a['of']} | {cell(wrong)} |")
    for a in answers:
        if a["verdict"] not in ("passed", "not started"):
            said = [f"{label:<9} {' '.join(text.split())}".replace("````", "…") for label, text in a["lines"]]
            lines += ["", f"### {cell(a['exercise'])}: {cell(a['verdict'])}", "", "````text", *said, "````"]
    return "\n".join(lines) + "\n"


def for_classroom(answers, good):
    tests = [
        {
            "name": a["exercise"],
            "status": "pass" if a["verdict"] == "passed" else "fail",
            "score": a["points"],
            "test_code": f"./check.sh {a['exercise']}",
            "filename": "",
            "line_no": 0,
            "execution_time": f"{a['seconds']}s",
        }
        for a in answers
    ]
    results = {"version": 1, "status": "pass" if good else "fail", "max_score": sum(a["of"] for a in answers)}
    return base64.b64encode(json.dumps({**results, "tests": tests}).encode()).decode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        answers = json.loads(arguments.results.read_text())["answers"]
    except (OSError, ValueError, KeyError) as error:
        print(f"no results: {error}")
        return 2
    text = summary(answers)
    print(text)
    if arguments.summary:
        with open(arguments.summary, "a", encoding="utf-8") as file:
            file.write(text)
    begun = [a["verdict"] for a in answers if a["verdict"] != "not started"]
    print(f"{begun.count('passed')} of {len(begun)} answers that were begun are right")
    good = set(begun) <= {"passed"}
    if arguments.output:
        with open(arguments.output, "a", encoding="utf-8") as file:
            file.write(f"result={for_classroom(answers, good)}\n")
    return 2 if not answers else 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
