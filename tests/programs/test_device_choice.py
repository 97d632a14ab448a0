"""Which device a chapter takes, on machines that a layer pretends: the first GPU, else the first CPU, else the first
accelerator, over all platforms; OCL_DEVICE in each of its forms; and chapter 01 the first one there is.

A machine is the types of its devices by platform, as in checker/layer/devices.cpp; a device is called
type-platform-number.
"""

import pytest

from tests import chapter_facts, running

# The machine, OCL_DEVICE, and the device that is taken; None: refused.
CASES = [
    ("cpu", None, "cpu-0-0"),
    ("cpu,accelerator,gpu", None, "gpu-0-2"),
    ("gpu,accelerator,cpu", None, "gpu-0-0"),
    ("accelerator,cpu/cpu", None, "cpu-0-1"),
    ("accelerator/cpu,gpu", None, "gpu-1-1"),
    ("cpu,gpu/gpu,accelerator", None, "gpu-0-1"),
    ("accelerator/accelerator", None, "accelerator-0-0"),
    ("cpu/cpu", None, "cpu-0-0"),
    ("/cpu,gpu", None, "gpu-1-1"),
    ("gpu,cpu/cpu", "cpu", "cpu-0-1"),
    ("cpu,gpu/gpu", "GPU", "gpu-0-1"),
    ("accelerator/gpu", "gpu", "gpu-1-0"),  # a platform's first one is its default, too: two bits of a type
    ("gpu/cpu", "cpu", "cpu-1-0"),
    ("cpu,gpu/accelerator", "1:0", "accelerator-1-0"),
    ("cpu,gpu", "0:0", "cpu-0-0"),
    ("gpu,gpu", "0:1", "gpu-0-1"),
    ("cpu,gpu,cpu", "u-0-2", "cpu-0-2"),
    ("gpu,accelerator", "Accelerator", "accelerator-0-1"),
    ("cpu,accelerator/gpu", "portable computing", "gpu-1-0"),
    ("cpu,accelerator", "gpu", None),
    ("gpu/accelerator", "cpu", None),
    ("gpu,cpu", "1:0", None),
    ("gpu,cpu", "0:2", None),
    ("/", None, None),
]
FIRST, ALL = "01-vector-add", ["02-device-query", "03-launch-geometry"]  # what is spelled out, and pick_device


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", [FIRST, *ALL])
def test_device_choice(report, chapter):
    for machine, wish, device in CASES:
        env = {**running.as_device(types=machine), "OCL_DEVICE": wish}
        if chapter == FIRST:
            first = machine.strip("/").split("/")[0].split(",")[0]
            device = f"{first}-{len(machine) - len(machine.lstrip('/'))}-0" if first else None
        code, out, err = running.run([running.program(chapter), *chapter_facts.of(chapter).TINY_SIZE], env=env)
        lines = (out + "\n").splitlines()
        if device is None:
            good = code == 1 and "no OpenCL device " in err and "PASSED" not in lines
        else:
            good = code == 0 and lines[0].startswith(f"device    {device} (") and "PASSED" in lines
        report.must(f"{machine} with OCL_DEVICE={wish}: {device}", good, f"{code}\n{out}{err}")
