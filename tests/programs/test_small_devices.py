"""On devices other than ours: each chapter passes on every profile of tests/devices/, or says what it needs.

The layer (checker/layer/devices.cpp) makes PoCL look like another device and refuses what that one would refuse.
Everything is released there, too. So the branches for GPUs and for small devices run here. Where the device's clock has no
resolution, a program says of times what it says where there are none. And what a launch takes of a limit is enough: on a
device that has just as much local memory as the launches here, and groups as large as theirs, they are the same; on one
that has next to none, a program passes or says so.
"""

import math
import pathlib
import re
import tempfile

import pytest

from tests import chapter_facts, running

PROFILES = sorted((running.ROOT / "tests" / "devices").glob("*.txt"))


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
        expected = says_of_times(running.under_layer(command, cache=cache, profile=without)[1])
    found = says_of_times(out)
    return [] if found == expected else [f"times of a clock without resolution: {expected} expected, not {found}"]


def unlike_launches(out, calls):
    """What is wrong with the groups that a program's times name: they are those of a launch, one after the other."""
    said = re.findall(r"^time .*?\b(\d+) (?:work-)?groups? of (\d+)", out, re.MULTILINE)
    launches = re.findall(r"^EnqueueNDRangeKernel \w+, \w+, 1, \w+, (\d+), (\d+),", calls, re.MULTILINE)
    made = [(str(int(items) // int(of_group)), of_group) for items, of_group in launches]
    at = iter(made)
    return [] if all(one in at for one in said) else [f"it says groups {said}, and launches {made}"]


def what_is_wrong(chapter, arguments, profile, cache):
    """What is wrong with a run on this device: a list of sentences."""
    known = chapter_facts.of(chapter)
    command = [running.program(chapter), *arguments]
    # With the default size a search has many candidates that are slow here.
    timeout = 120 if arguments else 900
    code, out, err, account = running.under_layer(command, timeout, cache, profile=profile)
    if f"device    {name_of(profile)} (" not in out:
        return [f"it did not run on {name_of(profile)}{running.indented(out + err)}"]
    if profile.stem in known.NEEDS:
        words, wrong = known.NEEDS[profile.stem], running.crashed(code, err)
        if code != 1 or words not in err or "PASSED" in out:
            wrong.append(f"exit code 1 and {words!r} expected, not {code}{running.indented(out + err)}")
        return wrong
    wrong = running.not_passed(code, out, err) or account.left_behind()
    wrong = wrong or unlike_no_times(command, profile, cache, out) or unlike_launches(out, account.text)
    return wrong or [f"a colon twice: {line}" for line in says_of_times(out) if "::" in line]


def launched(chapter, arguments, profile):
    """The launches of a run on a device: {(kernel's name, global size, local size)}, the most local memory that one of them
    takes, and the largest group; and what is wrong with the run."""
    # A known clock: what is dealt out by measured speed would not be the same in two runs.
    code, out, err, account = running.under_layer(
        [running.program(chapter), *arguments], profile=profile, clock=1, floor=chapter_facts.of(chapter).TIME_FLOOR
    )
    text = account.text
    made = re.findall(r"^CreateKernel \w+, (\S+), .* -> (kernel\d+), local (\d+)$", text, re.MULTILINE)
    names = {kernel: name for name, kernel, _ in made}
    local = {kernel: int(own) for _, kernel, own in made}
    for kernel, size in re.findall(r"^SetKernelArg (kernel\d+), \d+, (\d+), local$", text, re.MULTILINE):
        local[kernel] += int(size)
    launches = re.findall(r"^EnqueueNDRangeKernel \w+, (kernel\d+), \d, \w+, ([\dx]+), ([\dx]+),", text, re.MULTILINE)
    return (
        {(names.get(kernel), total, group) for kernel, total, group in launches},
        max((local[kernel] for kernel, _, _ in launches), default=0),
        max((math.prod(map(int, group.split("x"))) for _, _, group in launches), default=1),
        running.not_passed(code, out, err),
    )


def just_enough(chapter, arguments):
    """What is wrong on a device whose limits are what the launches take here: a list of sentences."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile"
        profile.write_text("type gpu\n")
        here, local, items, wrong = launched(chapter, arguments, profile)
        if wrong or not here:
            return wrong or ["nothing was launched"]
        profile.write_text(f"type gpu\nlocal_memory {local}\nkernel_group {items}\n")
        there, *_, wrong = launched(chapter, arguments, profile)
    differ = sorted(map(str, here ^ there))
    return wrong or [f"with {local} bytes of local memory and groups of {items}, launches differ: {differ}"] * bool(
        differ
    )


def next_to_none(chapter, arguments):
    """What is wrong where there is one byte of local memory, and no kernel can have a group: it passes, or says that this
    is too little."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile"
        profile.write_text("type gpu\nlocal_memory 1\nkernel_group 0\n")
        code, out, err, _ = running.under_layer([running.program(chapter), *arguments], cache=folder, profile=profile)
    if code == 1 and re.search(r"too small|no candidate computes|\bCL_\w+ \(-\d+\)", err):
        return running.crashed(code, err)
    return running.not_passed(code, out, err)


@pytest.mark.thorough
def test_small_devices(report, chapter, full):
    sizes = chapter_facts.of(chapter).SMALL_SIZES
    for profile in PROFILES:
        for arguments in sizes + [[]] if full else [sizes[-1]]:
            with tempfile.TemporaryDirectory() as cache:
                wrong = what_is_wrong(chapter, arguments, profile, cache)
            report.failed(" ".join([chapter, *arguments, "on", profile.stem]), wrong)
            report.count("runs on other devices")
    if running.has_kernel(chapter):
        report.failed(f"{chapter} on a device that is just large enough", just_enough(chapter, sizes[-1]))
        report.count("runs on a device that is just large enough")
        report.failed(f"{chapter} on a device with next to nothing", next_to_none(chapter, sizes[0]))
