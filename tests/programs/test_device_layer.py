"""The layer behind `small-devices`: on each profile the device says what stands there, grants what it says, and refuses
what is above it with the code of the specification."""

import os

from tests import running
from tests.programs.test_small_devices import PROFILES

TEST = os.environ.get("DEVICE_LAYER_TEST", str(running.BUILD / "tests" / "device_layer_test"))
REFUSED = {
    "at-the-kernel's-limit": 0,
    "at-the-local-memory's-limit": 0,
    "above-the-local-memory's-limit": -5,
    "above-the-kernel's-limit": -54,
    "above-the-size-of-a-dimension": -55,
    "above-the-largest-buffer": -61,
}
NEWER = {"a-newer-call": -59, "a-newer-question": -30, "a-newer-standard": -43}  # where the version is 1.2


def test_device_layer(report):
    for path in PROFILES:
        said = dict(line.split(maxsplit=1) for line in path.read_text().splitlines() if line and line[0] != "#")
        expected = {
            **REFUSED,
            "times": 0 if said.pop("times", "1") == "1" else -7,
            **(NEWER if "version" in said else {}),
        }
        said.pop("barrier_group", None)
        code, out, err = running.run([TEST], env=running.as_device(path))
        lines = [line.split(maxsplit=2) for line in out.splitlines()]
        report.must(f"{path.stem}: it ends well", code == 0, out + err)
        for key, value in said.items():
            report.must(f"{path.stem}: {key} {value}", ["said", key, value] in lines, out)
        for what, number in expected.items():
            found = {words[2] for words in lines if words[:2] == ["code", what]}
            there = bool(found) or what == "above-the-kernel's-limit"  # the dimension's limit may come first
            report.must(f"{path.stem}: {what}: {number}", there and found <= {str(number)}, out)
