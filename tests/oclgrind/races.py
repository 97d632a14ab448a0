"""One chapter on Oclgrind, which reports reads and writes outside buffers, uninitialised values, data
races between work-items, and API calls that break the rules. There must be no report.

    python3 tests/oclgrind/races.py 06-dot-product-reduction
    python3 tests/oclgrind/races.py 11-sum-reduction full     at all sizes, where it takes long
    python3 tests/oclgrind/races.py total [full]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402


def check(chapter, full=""):
    failures = 0
    sizes = chapters.small_sizes(chapter)
    large = chapter in chapters.LARGE_LAUNCHES and not full
    quick = large and chapter not in chapters.LARGE_BUT_WHOLE
    if large:
        sizes = sizes[-1:]
    for arguments in sizes:
        wrong = chapters.wrong_under_oclgrind([chapters.program(chapter)] + arguments, quick)
        failures += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok'}  {' '.join([chapter] + arguments)}" + "".join(f"\n        {w}" for w in wrong))
    return failures, {"runs": len(sizes)}


chapters.test("oclgrind", check, "{chapters} chapters, {runs} runs on Oclgrind without a report", full=True,
              needs=lambda: chapters.need_tool("oclgrind", "oclgrind"))
