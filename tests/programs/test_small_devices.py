"""On devices other than ours: each chapter passes on every profile of tests/devices/, or says what it needs.

The layer (checker/layer/devices.cpp) makes PoCL look like another device and refuses what that one would refuse.
Everything is released there, too. So the branches for GPUs and for small devices run here. Where the device's clock has no
resolution, a program says so.
"""

import re

import pytest

from tests import chapter_facts, running

PROFILES = sorted((running.ROOT / "tests" / "devices").glob("*.txt"))


def what_is_wrong(known, arguments, profile, cache):
    """What is wrong with a run on this device: a list of sentences."""
    text = profile.read_text()
    name = re.search(r"^name (.*)$", text, re.MULTILINE)[1]
    # With the default size a search has many candidates that are slow here.
    timeout = 120 if arguments else 900
    *ended, account = running.under_layer([running.program(known.chapter), *arguments], timeout, cache, profile=profile)
    code, out, err = ended
    if f"device    {name} (" not in out:
        return [f"it did not run on {name}{running.indented(out + err)}"]
    if profile.stem in known.NEEDS:
        words, wrong = known.NEEDS[profile.stem], running.crashed(code, err)
        well = code == 1 and words in err and "PASSED" not in out
        return wrong + [f"exit code 1 and {words!r} expected, not {code}{running.indented(out + err)}"] * (not well)
    wrong = running.not_passed(*ended) or account.left_behind()
    no_times = "\nresolution 0\n" in text and "clGetEventProfilingInfo" in account.calls
    if no_times and not re.search(r"^time .*[^:]: this device reports no times", out, re.MULTILINE):
        wrong.append(f"it does not say that the clock has no resolution{running.indented(out)}")
    return wrong


@pytest.mark.thorough
def test_small_devices(report, chapter, full, tmp_path):
    known = chapter_facts.of(chapter)
    for profile in PROFILES:
        for arguments in known.SMALL_SIZES + [[]] if full else [known.SMALL_SIZES[-1]]:
            cache = tmp_path / "-".join([profile.stem, *arguments])
            report.failed(f"{chapter} {arguments} on {profile.stem}", what_is_wrong(known, arguments, profile, cache))
            report.count("runs on other devices")
