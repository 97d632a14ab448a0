"""On devices other than ours: each chapter passes on every profile of tests/profiles/, or says what it needs.

A layer (tests/native/device_layer.cpp) makes PoCL look like another device and refuses what that one would refuse.
Everything is released there, too. So the branches for GPUs and for small devices run here.
"""

import facts
import harness
from checks.released import left_behind

PROFILES = sorted((harness.ROOT / "tests" / "profiles").glob("*.txt"))


def name_of(profile):
    """The device's name, which a chapter prints: then the layer was there."""
    return next(line.split(maxsplit=1)[1] for line in profile.read_text().splitlines() if line.startswith("name "))


def check(report, chapter, full):
    known = facts.of(chapter)
    for profile in PROFILES:
        for arguments in known.SMALL_SIZES + [[]] if full else [known.SMALL_SIZES[-1]]:
            command = [harness.program(chapter), *arguments]
            code, out, err, account = harness.under_layer(command, profile=profile)
            if f"device    {name_of(profile)} (" not in out:
                wrong = [f"it did not run on {name_of(profile)}{harness.indented(out + err)}"]
            elif profile.stem in known.NEEDS:
                words = known.NEEDS[profile.stem]
                wrong = harness.crashed(code, err)
                if code != 1 or words not in err or "PASSED" in out:
                    wrong.append(f"exit code 1 and {words!r} expected, not {code}{harness.indented(out + err)}")
            else:
                wrong = harness.not_passed(code, out, err) or left_behind(account)
            report.failed(" ".join([chapter, *arguments, "on", profile.stem]), wrong)
            report.count("runs on other devices")
