"""Is what a program says true: which device, which size, what the usage line promises?

Devices on paper (checker/layer/devices.cpp) say numbers that are known and all different, and end a program where it
creates its context, so that a run takes no time. (Which of several devices it takes: test_device_choice.py.)
"""

import pathlib
import re
import tempfile

from tests import chapter_facts, running

ODD_BUFFER = 134217001  # bytes of the largest buffer, no multiple of anything: a default has to fit all the same


class Paper:
    """Runs a program on devices that exist on paper only."""

    def __init__(self, program):
        self.program = program

    def run(self, devices, *arguments, wish=None, **device):
        env = running.layered(types=devices, on_paper=1, **device)
        return running.run([self.program, *arguments], env={**env, "OCL_DEVICE": wish})


def devices(must, paper, known):
    first = known.chapter == running.CHAPTERS[0]
    for machine, wish, place, kind in [("cpu,gpu", None, "0:1", "gpu"), ("/cpu,accelerator", "cpu", "1:0", "cpu")]:
        place, kind = ("0:0", "cpu") if first and machine[0] != "/" else (place, kind)
        code, out, err = paper.run(machine, wish=wish)
        line = f"device    Paper {kind} {place} (Paper Platform {place[0]})\n"
        must(f"{machine}: says that it takes {place}", out.startswith(line), f"{line}\n{out}")
        if known.printed is None:
            must(f"{machine}: and does", err.startswith(f"paper: a context for {place}\n"), err)
        else:
            expected = known.printed(machine, wish, place)
            must(f"{machine}: all that it says is true", out == expected and code == 0, f"{expected}\n\n{out}")


def sizes(must, paper, known):
    def found(*arguments, **how):
        code, out, err = paper.run("cpu", *map(str, arguments), **how)
        line = re.search(r"^size      (.*)$", out, re.MULTILINE)
        return re.findall(r"\w+ = (\d+)", line[1]) if line else [], err

    promised = re.findall(r"\(default (\d+)", paper.run("cpu", "--help")[1]) * (3 if known.IS_MATRIX else 1)
    must(f"the usage promises {promised}", promised and found()[0] == promised, str(found()))
    err = found(**{"device.buffer": ODD_BUFFER})[1]
    must(f"without arguments: what fits {ODD_BUFFER} bytes", "a context for" in err, err)
    for given in [["7"], ["7", "9", "8"]] if known.IS_MATRIX else [["77"]]:
        whole = given * (4 - len(given)) if known.IS_MATRIX and len(given) == 1 else given
        must(f"{' '.join(given)}: so it says", found(*given)[0][: len(whole)] == whole, str(found(*given)))
    edges = []  # where kernels count in 32 bits
    for place, number in enumerate(known.MOST):
        before, after = [1] * place, [1] * (len(known.MOST) - place - 1)
        edges.append(((*before, number, *after), (*before, number + 1, *after)))
    for most, more in [*edges, ((32768, 32768, 5) if known.IS_MATRIX else (2**30 + 5,), None)]:
        err = found(*most)[1]
        must(f"{most}: not too large for its kernels", "too large for this program" not in err, err)
        err = found(*more)[1] if more else ""
        must(f"{more}: too large", not more or err.startswith("too large for this program"), err)


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
        paper = Paper(program)
        devices(report.must, paper, known)
        if known.PARAMETERS:
            sizes(report.must, paper, known)
        says(report.must, program, known.SAYS, folder)
