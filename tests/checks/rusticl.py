"""On a second implementation: Mesa's Rusticl (llvmpipe), at small sizes."""

import pathlib
import re
import tempfile

import facts
import harness

ICD = pathlib.Path("/etc/OpenCL/vendors/rusticl.icd")
ENVIRONMENT = {"RUSTICL_ENABLE": "llvmpipe", "OCL_ICD_VENDORS": str(ICD), "OCL_DEVICE": ""}


def check(report, chapter):
    if not ICD.exists():
        raise harness.Skip(f"Rusticl is missing, no {ICD} (on Debian and Ubuntu: apt install mesa-opencl-icd)")
    for arguments in facts.of(chapter).SMALL_SIZES:
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = harness.run(
                [harness.program(chapter)] + arguments, env={**ENVIRONMENT, **harness.remembering(folder)}
            )
        wrong = harness.not_passed(code, out, err)
        if "WRONG" in err:
            wrong.append("one of the candidates computes a wrong result")
        if "rusticl" not in out:
            wrong.append("it did not run on Rusticl")
        # Its times are no times. A rate made of them must not be printed.
        wrong += [
            f"a rate that no CPU reaches: {line}"
            for line in out.splitlines()
            for rate in re.findall(r"([\d.]+) G(?:B|FLOP)/s", line)
            if float(rate) > 1e4
        ]
        report.failed(" ".join([chapter, *arguments]), wrong)
        report.count("runs on Rusticl")
