"""Is what a program says true: which device, which size, what the usage line promises?

Devices on paper (checker/layer/devices.cpp) say numbers that are known and all different, and end a program where it
creates its context, so that a run takes no time. (Which of several devices it takes: test_hostile.py.)
"""

import re
import shutil

from tests import chapter_facts, running

ODD_BUFFER = 134217001  # bytes of the largest buffer, no multiple of anything: a default has to fit all the same


def test_printed_values(report, chapter, tmp_path):
    known, program = chapter_facts.of(chapter), running.program(chapter)
    # 23 fills its matrices before it creates a context: 8 GiB at its largest sizes, which not every machine has.
    room = ["prlimit", "--as=4000000000"] if shutil.which("prlimit") else []

    def on_paper(*arguments, devices="cpu", **device):
        env = running.as_device(types=devices, on_paper=1, **device)
        return running.run([*room, program, *map(str, arguments)], env=env)

    def sizes(*arguments):
        line = re.search(r"^size      (.*)$", on_paper(*arguments)[1], re.MULTILINE)
        return re.findall(r"\w+ = (\d+)", line[1]) if line else []

    code, out, err = on_paper(devices="cpu,gpu")
    if known.PRINTED:
        report.must("all that it says of devices is true", out == known.PRINTED, out)
    else:
        kind, place = ("cpu", "0:0") if chapter == running.CHAPTERS[0] else ("gpu", "0:1")
        said = out.startswith(f"device    Paper {kind} {place} (Paper Platform 0)\n")
        said = said and f"a context for {place}\n" in err
        report.must(f"it says that it takes {place} (pick_device), and does", said, out + err)
    if known.PARAMETERS:
        promised = re.findall(r"\(default (\d+)", on_paper("--help")[1]) * (3 if known.IS_MATRIX else 1)
        report.must(f"the usage promises {promised}", promised and sizes() == promised, str(sizes()))
        err = on_paper(**{"device.buffer": ODD_BUFFER})[2]
        report.must(f"without arguments: what fits {ODD_BUFFER} bytes", "a context for" in err, err)
        given = ["7", "9", "8"] if known.IS_MATRIX else ["77"]
        report.must(f"{given}: so it says", sizes(*given)[: len(given)] == given, str(sizes(*given)))
        report.must("one number is all three", not known.IS_MATRIX or sizes(7) == ["7"] * 3, str(sizes(7)))
        for place, number in enumerate(known.MOST):  # where kernels count in 32 bits
            most, more = ([number + d if i == place else 1 for i in range(len(known.MOST))] for d in (0, 1))
            report.must(f"{most}: not too large", "too large for this program" not in on_paper(*most)[2])
            report.must(f"{more}: too large", on_paper(*more)[2].startswith("too large for this program"))
    for arguments, right, *device in known.SAYS:
        profile = running.ROOT / "tests" / "devices" / f"{''.join(device[:1])}.txt"
        if not profile.exists():
            profile = tmp_path / "device"
            profile.write_text("\n".join(device))
        _, out, err = running.run([program, *arguments], env=running.as_device(profile))
        report.must(f"{arguments} on {device}: says {right}", re.search(right, out + err, re.MULTILINE), out + err)
