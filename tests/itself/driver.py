"""Is chapters.test(), which ends most scripts in tests/, red when it should be? Scripts of a line each, in a
build folder of their own: what an earlier run counted must not stand for a later one.

    python3 tests/itself/driver.py
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402

ONE = chapters.CHAPTERS[5]
cases = chapters.Cases()


def script(what, code, said, arguments, check="lambda chapter: (0, {'runs': 2})", more=""):
    """A script with this check must end with an exit code and say something."""
    text = f"import chapters; chapters.test('demo', {check}, '{{chapters}} chapters, {{runs}} runs'{more})"
    got, out, err = chapters.run([sys.executable, "-c", text, *arguments], env={"PYTHONPATH": str(chapters.ROOT / "tests")})
    cases.must(f"{what}: exit code {code}, {said!r}", got == code and said in out + err, f"exit code {got}: {out}{err}")


def main():
    count = len(chapters.CHAPTERS)
    all_of_them = f"demo: {count} chapters, {2 * count} runs"
    with tempfile.TemporaryDirectory() as build:
        os.environ["BUILD_DIR"] = build
        line = pathlib.Path(build) / "figures" / "demo.txt"
        for arguments in [], ["99-no-such-chapter"], [ONE, "full"], [ONE, "fast"], [ONE, ONE]:
            script(f"arguments {arguments}", 2, "no such test", arguments)
        script("a total of nothing", 1, f"no figures of {chapters.CHAPTERS[0]}", ["total"])
        for chapter in chapters.CHAPTERS:
            script("a check that finds nothing wrong", 0, "", [chapter])
        script("the total", 0, all_of_them, ["total"])
        cases.must("the total's line is kept", line.read_text() == all_of_them + "\n", line.read_text())
        script("the total with details", 0, "all about demo", ["total"], more=", details=lambda label: print('all about', label)")
        full = "lambda chapter, full='': (0, {'runs': 3 if full else 2, 'more': 1})"
        for chapter in chapters.CHAPTERS:
            script("a full check", 0, "", [chapter, "full"], full, ", full=True")
        script("the full total", 0, f"demo-full: {count} chapters, {3 * count} runs", ["total", "full"], full, ", full=True")
        script("the other total", 0, all_of_them, ["total"], full, ", full=True")
        for what, check in [("counts nothing", "lambda chapter: (0, {})"), ("counts something else", "lambda chapter: (0, {'sun': 1})")]:
            script(f"a check that {what}", 0, "", [ONE], check)
            script("its total", 1, f"{ONE} counted", ["total"])
        for what, check in [("finds something wrong", "lambda chapter: (1, {'runs': 2})"), ("breaks", "lambda chapter: 1 / 0"),
                            ("is ended", "lambda chapter: chapters.os._exit(1)")]:
            script("a check again", 0, "", [ONE])
            script("the total again", 0, all_of_them, ["total"])
            script(f"a check that {what}", 1, "", [ONE], check)
            script("its total", 1, f"no figures of {ONE}", ["total"])
            cases.must(f"after a check that {what}, {line.name} is gone", not line.exists(), "it is still there")
        without = ", needs=lambda: chapters.need_tool('no-such-tool', 'a package')"
        for arguments in [ONE], ["total"]:
            script("without its tool", chapters.SKIPPED, "SKIPPED: no-such-tool is missing", arguments, more=without)


main()
cases.end("scripts end as they should")
