"""Is what a program says true: which device, what its limits are, which size, what the usage line promises, which
kernel file it takes?

Devices on paper (tests/layers/paper_platform.cpp) say numbers that are known and all different, and end a program where it
creates its context, so that a run takes no time; the kernel file's place is looked at on the usual device.
"""

import os
import pathlib
import re
import shutil
import tempfile

from tests import chapter_facts, running
from tests.syntax import changed_copy, forced, kernel_files

# Devices by platform, as PAPER_DEVICES; OCL_DEVICE; the place of the one that is chosen.
MACHINES = [
    ("cpu", None, "0:0"),
    ("cpu,gpu,gpu", None, "0:1"),
    (";other,accelerator;accelerator,cpu", None, "2:1"),
    ("other,cpu;;cpu,gpu", None, "2:1"),
    ("other", None, "0:0"),
    (";other,accelerator,accelerator", None, "1:1"),
    ("-;cpu", None, "1:0"),
    ("cpu,gpu,gpu", "cpu", "0:0"),
    ("cpu,gpu,gpu", "GPU", "0:1"),
    ("cpu;accelerator,cpu", "platform 1", "1:1"),
    ("cpu;gpu,gpu", "1:1", "1:1"),
    (15 * ";" + "cpu", None, "15:0"),
]
ODD_BUFFER = 134217001  # bytes of the largest buffer, no multiple of anything: a default has to fit all the same
# What wraps in 32 or in 64 bits, as a number of elements or of bytes.
VECTORS = [2**32 + 5, 2**61 + 1, 2**62, 2**62 + 5, 2**63, 2**63 + 5, 2**64 - 1, 2**64 // 12 + 1]
MATRICES = [
    (2**32, 2**32, 1),
    (2**32, 1, 2**32),
    (1, 2**32, 2**32),
    (2**31 + 1, 2**33, 1),
    (2**62, 1, 1),
    (1, 2**61, 2),
]


class Paper:
    """Runs a program on devices that exist on paper only."""

    def __init__(self, folder, program):
        self.program = program
        if not pathlib.Path(running.PAPER).exists():
            raise SystemExit(f"FAILED  {running.PAPER} is not there: build first")
        (folder / "paper.icd").write_text(f"{running.PAPER}\n")
        self.vendors = folder

    def run(self, devices, *arguments, wish=None, buffer=None, names=None):
        env = {"OCL_ICD_VENDORS": str(self.vendors), "OCL_ICD_PLATFORM_SORT": "none", "PAPER_DEVICES": devices}
        env.update(PAPER_BUFFER=buffer and str(buffer), PAPER_NAMES=names)
        return running.run([self.program, *arguments], env={**env, "OCL_DEVICE": wish})


def place_of_first(devices):
    return next(f"{p}:0" for p, types in enumerate(devices.split(";")) if types.strip("-"))


def type_at(devices, place):
    p, d = map(int, place.split(":"))
    return devices.split(";")[p].split(",")[d]


def sizes_in(out):
    """The numbers of the "size" line, in order."""
    line = re.search(r"^size      (.*)$", out, re.MULTILINE)
    return dict(re.findall(r"(\w+) = (\d+)", line[1])) if line else {}


def devices(must, paper, known):
    most = known.MOST_PLATFORMS
    if most:  # of those behind them it knows nothing
        code, out, err = paper.run(most * ";" + "cpu")
        good = code == 1 and f"none of {most} platforms" in err
        must(f"{most + 1} platforms: looks at {most} and no further", good, f"exit code {code}\n{out}{err}")
    for machine, wish, chosen in MACHINES if most else [*MACHINES, (40 * ";" + "cpu", None, "40:0")]:
        place = place_of_first(machine) if known.NO_DEVICE_REFUSAL is None else chosen
        platform = place.partition(":")[0]
        line = f"device    Paper {type_at(machine, place)} {place} (Paper Platform {platform})"
        code, out, err = paper.run(machine, wish=wish)
        what = f"{machine}{f', OCL_DEVICE={wish}' if wish else ''}"
        must(f"{what}: says that it takes {place}", out.startswith(line + "\n"), f"{line}\n{out}")
        if known.printed is None:
            must(f"{what}: and does", err.startswith(f"paper: a context for {place}\n"), err)
        else:
            expected = known.printed(machine, wish, place)
            must(f"{what}: and all that it says is true", out == expected and code == 0, f"{expected}\n\n{out}")
    tail = " and so on" * 10
    place = "0:0" if known.NO_DEVICE_REFUSAL is None else "0:1"
    line = f"device    Paper {type_at('cpu,gpu', place)} {place}{tail} (Paper Platform 0{tail})"
    out = paper.run("cpu,gpu", names=tail)[1]
    must(f"names of {len(tail)} characters more are there whole", out.startswith(line + "\n"), f"{line}\n{out}")


def exact_buffer(must, paper, known, folder):
    """A device whose buffers can be just as large as the largest one here is large enough; with a byte less, it is not."""
    size, calls = ["300", "200", "100"] if known.IS_MATRIX else ["100003"], folder / "calls"
    if running.under_layer([paper.program, *size], calls=calls)[0] != 0:
        must(f"{' '.join(size)}: passes", False)
    largest = max(map(int, re.findall(r"^CreateBuffer \w+, \d+, (\d+),", calls.read_text(), re.MULTILINE)))
    for bytes_, fits in [(largest, True), (largest - 1, False)]:
        code, out, err = paper.run("cpu", *size, buffer=bytes_)
        good = "a context for" in err if fits else code == 2 and err.startswith("too large for this device")
        must(f"{' '.join(size)}, buffers of {bytes_} bytes: {'' if fits else 'not '}large enough", good, out + err)


def sizes(must, paper, known):
    if not known.PARAMETERS:
        return
    usage = paper.run("cpu", "--help")[1]
    promised = re.findall(r"\(default (\d+)", usage)
    found = list(sizes_in(paper.run("cpu")[1]).values())
    promised = promised * 3 if known.IS_MATRIX else promised
    code, out, err = paper.run("cpu", buffer=ODD_BUFFER)
    must(f"without arguments: what fits {ODD_BUFFER} bytes", "a context for" in err, f"exit code {code}\n{out}{err}")
    must(f"without arguments: {', '.join(found)}, as the usage says", found and found == promised, usage)
    tries = [["7"], ["7", "9"], ["7", "9", "8"]] if known.IS_MATRIX else [["77"]]
    for given in tries:
        found = list(sizes_in(paper.run("cpu", *given)[1]).values())
        whole = given + given[:1] * (3 - len(given)) if known.IS_MATRIX else given
        must(f"{' '.join(given)}: the size is {', '.join(whole)}", found[: len(whole)] == whole, str(found))
    edge = [known.MOST_ELEMENTS, known.MOST_ELEMENTS + 1] if known.MOST_ELEMENTS else []
    for given in MATRICES if known.IS_MATRIX else [(n,) for n in VECTORS + edge]:
        code, out, err = paper.run("cpu", *map(str, given))
        fits = known.MOST_ELEMENTS and given[0] <= known.MOST_ELEMENTS
        good = code == 2 and err.startswith("too large for this ") and "\nusage: " in err
        good = "a context for" in err if fits else good
        must(f"{' '.join(map(str, given))}: {'not ' * bool(fits)}too large", good, f"exit code {code}\n{out}{err}")
    for place in range(3) if known.MOST_ROWS else []:  # where kernels count in 32 bits
        for number, refused in [(known.MOST_ROWS + 1, True), (known.MOST_ROWS, False), (2**32 + 16, True)]:
            given = ["1"] * place + [str(number)] + ["1"] * (2 - place)
            code, out, err = paper.run("cpu", *given)
            good = ("too large for this program" in err) == refused and not (refused and code != 2)
            must(
                f"{' '.join(given)}: {'' if refused else 'not '}too large for its kernels",
                good,
                f"exit code {code}\n{out}{err}",
            )
    most = ["32768", "32768", "5"] if known.IS_MATRIX else [str(2**30 + 5)]  # 4 GiB in a buffer
    code, out, err = paper.run("cpu", *most)
    must(f"{' '.join(most)}: not too large", "a context for" in err, f"exit code {code}\n{out}{err}")


def kernel_file(must, program, chapter, folder):
    """The one beside the program, else the one beside the source, and not one in the working directory."""
    size = chapter_facts.of(chapter).TINY_SIZE
    home, here = folder / "home", folder / "here"
    home.mkdir()
    here.mkdir()
    copy = home / chapter
    shutil.copy(program, copy)
    env = running.remembering(folder / "cache")
    for kernel in (running.ROOT / chapter).glob("*.cl"):
        (here / kernel.name).write_text("the one in the working directory")
    ended = running.run([copy, *size], cwd=here, env=env)
    must("the kernel beside the source, not in the working directory", not running.not_passed(*ended), ended[2])
    for kernel in (running.ROOT / chapter).glob("*.cl"):
        (home / kernel.name).write_text("the one beside the program: no kernel")
    code, _, err = running.run([copy, *size], cwd=here, env=env)
    must("the kernel beside the program", code == 1 and "CL_BUILD_PROGRAM_FAILURE" in err, err)
    if (
        "common/source.h" in (running.ROOT / chapter / "host.cpp").read_text()
        and not chapter_facts.of(chapter).SEARCH_SIZE
    ):
        out = running.run(["sh", "-c", '"$0" "$@" 2>&1', copy, *size], cwd=here, env=env)[1]
        good = re.search(r"^device    [\s\S]* build log:$", out, re.MULTILINE)
        must("in one file with the build log, what was printed before it stands before it", good, out)
    for kernel in home.glob("*.cl"):
        kernel.chmod(0)
    for path in (folder, folder / "cache"):
        path.mkdir(exist_ok=True)
        path.chmod(0o777)  # of another user, if this one may read everything
    other = {} if os.getuid() else {"user": 65534}
    env["POCL_CACHE_DIR"] = str(folder / "cache")
    code, _, err = running.run([copy, *size], cwd=here, env=env, **other)
    must("a kernel that may not be read", code == 1 and "  (is there, but cannot be read)\n" in err, err)


def wrong_rows(report, chapter, folder):
    """How many elements of C differ, where its first rows are wrong: all of up to 64 rows, else "at least" those."""
    (kernel,) = kernel_files(chapter)
    for rows in (1, 63, 64, 65, 70):
        text = re.sub(r"= sum;", f"= sum + (row < {rows});", kernel.read_text())
        program = changed_copy(chapter, folder, {kernel: text})
        out = running.run([program, "70", "3", "5"])[1]
        right = f"({'at least ' * (rows > 64)}{3 * min(rows, 64)} of 210 elements differ)"
        report.must(f"{rows} rows wrong: {right}", right in out, out)


def says(must, program, expected, folder):
    """Does it say what SAYS expects of it?"""
    for arguments, right, *lines in expected:
        (folder / "device").write_text("\n".join(lines))
        out = running.run([program, *arguments], env=running.as_device(folder / "device") if lines else None)[1]
        what = f"{' '.join(arguments)}{' on a device with ' if lines else ''}{', '.join(lines)}: says {right}"
        must(what, re.search(right, out, re.MULTILINE) is not None, out)


def test_printed_values(report, chapter):
    known, program = chapter_facts.of(chapter), running.program(chapter)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paper = Paper(folder, program)
        devices(report.must, paper, known)
        sizes(report.must, paper, known)
        if known.PARAMETERS and running.has_kernel(chapter) and not known.LARGEST_BY_DEVICE:
            exact_buffer(report.must, paper, known, folder)
        if running.has_kernel(chapter):
            kernel_file(report.must, program, chapter, folder)
        if known.COUNTS_ROWS:
            wrong_rows(report, chapter, folder)
        says(report.must, program, known.SAYS, folder)
        if known.SAYS_FORCED:
            (folder / "forced").mkdir()
            texts = {path: forced(path.read_text(), known.FORCED[0]) for path in kernel_files(chapter)}
            says(report.must, changed_copy(chapter, folder / "forced", texts), known.SAYS_FORCED, folder)
