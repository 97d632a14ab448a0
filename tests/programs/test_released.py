"""After an unharmed run: is every object released, every command finished, every region unmapped, every file closed?

A program that tries what a device may refuse runs on one that refuses it, too.
"""

from tests import chapter_facts, running

NEWER = running.ROOT / "tests" / "devices" / "newer-3.0.txt"  # on which what is tried does not build


def test_released(report, chapter):
    known = chapter_facts.of(chapter)
    runs = [(arguments, None) for arguments in known.SMALL_SIZES]
    runs += [(known.TINY_SIZE, NEWER)] * bool(known.TRIED_CALLS)
    for arguments, profile in runs:
        code, out, err, account = running.under_layer([running.program(chapter), *arguments], profile=profile)
        wrong = running.not_passed(code, out, err) + account.left_behind()
        if profile and "\nrefused " not in out:
            wrong.append("nothing was refused, so what that leaves behind was not seen")
        report.failed(" ".join([chapter, *arguments]), wrong)
        report.count("calls looked at", len(account.calls))
        report.count("objects created and released", account.created)
        report.count("commands finished", len(account.commands))
