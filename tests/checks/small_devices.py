"""On devices other than ours: each chapter passes on every profile of tests/profiles/, or says what it needs.

A layer (tests/native/device_layer.cpp) makes PoCL look like another device and refuses what that one would refuse.
Everything is released there, too. So the branches for GPUs and for small devices run here. Where the device's clock has no
resolution, a program says of times what it says where there are none.
"""

import pathlib
import re
import tempfile

import facts
import harness
from checks.released import left_behind

PROFILES = sorted((harness.ROOT / "tests" / "profiles").glob("*.txt"))


def name_of(profile):
    """The device's name, which a chapter prints: then the layer was there."""
    return next(line.split(maxsplit=1)[1] for line in profile.read_text().splitlines() if line.startswith("name "))


def says_of_times(out):
    return [re.sub(r"[\d.]+", "0", line) for line in out.splitlines() if "reports no times" in line]


def unlike_no_times(command, profile, cache, out):
    """What is wrong with what a program says of a clock without resolution: a list of sentences. `cache`: where it
    remembered what it found, so that it recalls the same winner here."""
    text = profile.read_text()
    if "\nresolution 0\n" not in text:
        return []
    with tempfile.TemporaryDirectory() as folder:
        without = pathlib.Path(folder) / profile.name
        without.write_text(text.replace("\nresolution 0\n", "\ntimes 0\n"))
        expected = says_of_times(harness.under_layer(command, cache=cache, profile=without)[1])
    found = says_of_times(out)
    return [] if found == expected else [f"times of a clock without resolution: {expected} expected, not {found}"]


def what_is_wrong(chapter, arguments, profile, cache):
    """What is wrong with a run on this device: a list of sentences."""
    known = facts.of(chapter)
    command = [harness.program(chapter), *arguments]
    # With the default size a search has many candidates that are slow here.
    timeout = 120 if arguments else 900
    code, out, err, account = harness.under_layer(command, timeout, cache, profile)
    if f"device    {name_of(profile)} (" not in out:
        return [f"it did not run on {name_of(profile)}{harness.indented(out + err)}"]
    if profile.stem in known.NEEDS:
        words, wrong = known.NEEDS[profile.stem], harness.crashed(code, err)
        if code != 1 or words not in err or "PASSED" in out:
            wrong.append(f"exit code 1 and {words!r} expected, not {code}{harness.indented(out + err)}")
        return wrong
    wrong = harness.not_passed(code, out, err) or left_behind(account)
    wrong = wrong or unlike_no_times(command, profile, cache, out)
    return wrong or [f"a colon twice: {line}" for line in says_of_times(out) if "::" in line]


def check(report, chapter, full):
    sizes = facts.of(chapter).SMALL_SIZES
    for profile in PROFILES:
        for arguments in sizes + [[]] if full else [sizes[-1]]:
            with tempfile.TemporaryDirectory() as cache:
                wrong = what_is_wrong(chapter, arguments, profile, cache)
            report.failed(" ".join([chapter, *arguments, "on", profile.stem]), wrong)
            report.count("runs on other devices")
