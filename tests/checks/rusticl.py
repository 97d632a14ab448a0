"""On a second implementation: Mesa's Rusticl (llvmpipe), at small sizes."""

import pathlib
import re
import tempfile

import facts
import harness

ICD = pathlib.Path("/etc/OpenCL/vendors/rusticl.icd")
ENVIRONMENT = {"RUSTICL_ENABLE": "llvmpipe", "OCL_ICD_VENDORS": str(ICD), "OCL_DEVICE": ""}


def passes_on(report, chapter, device, environment, runs):
    """Runs a chapter on another implementation, whose device line has the word `device`. `runs`: pairs of arguments
    and what the program must print with them ("": nothing in particular)."""
    for arguments, words in runs:
        with tempfile.TemporaryDirectory() as folder:
            command = [harness.program(chapter)] + arguments
            code, out, err = harness.run(command, env={**environment, **harness.remembering(folder)})
        wrong = harness.not_passed(code, out, err)
        if "WRONG" in err:
            wrong.append("one of the candidates computes a wrong result")
        if device.lower() not in out.lower():
            wrong.append(f"it did not run on a device of {device}")
        if words not in out:
            wrong.append(f"it does not say {words!r}")
        # Rusticl's times are no times. A rate made of them must not be printed.
        wrong += [
            f"a rate that no CPU reaches: {line}"
            for line in out.splitlines()
            for rate in re.findall(r"([\d.]+) G(?:B|FLOP)/s", line)
            if float(rate) > 1e4
        ]
        report.failed(" ".join([chapter, *arguments]), wrong)
        report.count(f"runs on {device}")


def check(report, chapter):
    if not ICD.exists():
        raise harness.Skip(f"Rusticl is missing, no {ICD} (on Debian and Ubuntu: apt install mesa-opencl-icd)")
    known = facts.of(chapter)
    runs = [(arguments, "") for arguments in known.SMALL_SIZES] + known.RUSTICL_RUNS
    passes_on(report, chapter, "Rusticl", ENVIRONMENT, runs)
