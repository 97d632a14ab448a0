"""Which device is taken, and what comes of machines that are not as they should be: the right result, or exit code 1 with a
sentence; never a signal.

On three chapters: 01, which spells its set-up out and takes the first device there is; 02 and 06, which stand for all that use
common/. A machine is the types of its devices by platform (checker/layer/devices.cpp); a device is called
type-platform-number.
"""

import os
import pathlib
import shutil

import pytest

from tests import chapter_facts, running

CHAPTERS = [running.CHAPTERS[i] for i in (0, 1, 5)]
pytestmark = pytest.mark.thorough
VENDORS = pathlib.Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))
# The machine, OCL_DEVICE, and the device that is taken; None: refused.
CHOICES = [
    ("cpu", None, "cpu-0-0"),
    ("cpu,accelerator,gpu", None, "gpu-0-2"),
    ("accelerator,cpu/cpu", None, "cpu-0-1"),
    ("accelerator/cpu,gpu", None, "gpu-1-1"),
    ("cpu,gpu/gpu,accelerator", None, "gpu-0-1"),
    ("accelerator/accelerator", None, "accelerator-0-0"),
    ("/cpu,gpu", None, "gpu-1-1"),
    ("gpu,cpu/cpu", "cpu", "cpu-0-1"),
    ("cpu,gpu/gpu", "GPU", "gpu-0-1"),
    ("accelerator/gpu", "gpu", "gpu-1-0"),  # a platform's first one is its default, too: two bits of a type
    ("cpu,gpu/accelerator", "1:0", "accelerator-1-0"),
    ("gpu,gpu", "0:1", "gpu-0-1"),
    ("cpu,gpu,cpu", "u-0-2", "cpu-0-2"),
    ("cpu,accelerator/gpu", "portable computing", "gpu-1-0"),
    ("cpu,accelerator", "gpu", None),
    ("gpu/accelerator", "cpu", None),
    ("gpu,cpu", "1:0", None),
    ("/", None, None),
]


def test_device_choice(report, chapter):
    for machine, wish, device in CHOICES:
        if chapter == running.CHAPTERS[0]:
            first = machine.strip("/").split("/")[0].split(",")[0]
            device = f"{first}-{int(machine[0] == '/')}-0" if first else None
        command = [running.program(chapter), *chapter_facts.of(chapter).TINY_SIZE]
        ended = running.run(command, env={**running.as_device(types=machine), "OCL_DEVICE": wish})
        said = f"device    {device} (" if device else "no OpenCL device "
        report.ends(f"{machine} with OCL_DEVICE={wish}: {device}", ended, 0 if device else 1, said)


def test_implementations(report, chapter, tmp_path):
    """Implementations that are missing, empty, or fail; devices that cannot be used: alone, and beside good ones."""
    command = [running.program(chapter), *chapter_facts.of(chapter).TINY_SIZE]
    on_paper = {"types": "gpu", "on_paper": 1}

    def ends(what, code, *texts, **env):
        report.ends(what, running.run(command, env=env), code, *texts)

    def paper(beside, types="gpu", **settings):
        return running.layered(**{**on_paper, "types": types}, beside=beside, **settings)

    vendors = tmp_path / "vendors"
    vendors.mkdir()
    (vendors / "a.icd").write_text("/no/such/folder/libOpenCL-missing.so\n")
    (vendors / "b.icd").write_text("\n")
    broken = {"OCL_ICD_VENDORS": str(vendors), "OCL_ICD_PLATFORM_SORT": "none"}
    ends("no implementation", 1, "CL_PLATFORM_NOT_FOUND_KHR", **broken)
    for icd in [VENDORS] if VENDORS.is_file() else VENDORS.glob("*.icd"):
        shutil.copy(icd, vendors)
    ends("broken ones, and a platform without devices, beside good ones", 0, **paper(1, "/"), **broken)
    ends("only a platform without devices", 1, "no OpenCL device found", **paper(0, "/"))
    for call in ["clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo"]:
        if chapter == running.CHAPTERS[0] and call != "clGetDeviceIDs":
            continue  # 01 asks for nothing else
        first = running.under_layer(command, **on_paper, beside=1)[3].calls.index(call) + 1  # of those on paper
        for code in [-2, -6, -32, -9999]:
            fails = {"fail": first, "code": code}
            ends(f"{call} {code}", 1, f"({code}): ", "no OpenCL device found", **paper(0, function=call, **fails))
            ends(f"{call} {code}, beside good ones", 0, **paper(1, **fails))
    for device in ["taken", "ready-made", "old"] if chapter != running.CHAPTERS[0] else []:
        ends(f"a GPU that is {device}", 1, "is passed over: it ", "no OpenCL device found", **paper(0, device))
        ends(f"a GPU that is {device}, beside good ones", 0, **paper(1, device))
        if running.has_kernel(chapter):  # so that it makes a context
            wish = {**paper(1, device), "OCL_DEVICE": "paper"}
            ends("... and OCL_DEVICE names it", 1, "CL_DEVICE_NOT_AVAILABLE", **wish)


def test_places(report, chapter, tmp_path):
    known, program = chapter_facts.of(chapter), running.program(chapter)

    def passes(what, *command, **options):
        report.ends(what, running.run([*command, *known.TINY_SIZE], **options), 0)

    def passes_or_says(what, text, *before, **env):
        code, *said = running.run([*before, program, *known.TINY_SIZE], env=env)
        report.ends(what, (code, *said), min(max(code, 0), 1), *[text] * (code != 0))

    passes("working directory /", program, cwd="/")
    passes("nothing in the environment but PATH", "env", "-i", "PATH=/usr/bin:/bin", program)
    home = tmp_path / "Übungen für OpenCL, 第一"
    home.mkdir()
    copy = shutil.copy(program, home)
    kernels = {path.name: path.read_bytes() for path in (running.ROOT / chapter).glob("*.cl")}
    ways = {"as they are": bytes, "without a last line end": bytes.rstrip}
    ways["with CRLF"] = lambda text: text.replace(b"\n", b"\r\n")
    for how, change in ways.items():
        for name, text in kernels.items():
            (home / name).write_bytes(change(text))
        passes(f"kernel files {how}, in a path with blanks and letters that are not ASCII", copy, cwd="/")
    (tmp_path / "link").symlink_to(copy)
    passes("called through a link", tmp_path / "link")

    unset = {"XDG_CACHE_HOME": None, "POCL_CACHE_DIR": None}
    passes("HOME not set", program, env={**unset, "HOME": None})
    passes_or_says("HOME not there", "POCL_CACHE_DIR", **unset, HOME="/no/such/home")
    passes_or_says("HOME not writable", "POCL_CACHE_DIR", **unset, HOME="/proc")
    passes_or_says("folder for temporary files not there", "CL", TMPDIR="/no/such/folder")
    if known.PARAMETERS and shutil.which("prlimit"):
        # The device would have room for vectors of 1.6 GB each, and the host has not.
        (tmp_path / "roomy").write_text("global_memory 100000000000\nbuffer 25000000000\n")
        command = ["prlimit", "--as=2500000000", program, "400000000"]
        ended = running.run(command, env=running.as_device(tmp_path / "roomy"))
        report.ends("no memory for the host's copies", ended, 1, "the host has no memory left")
