"""One chapter on Mesa's Rusticl (llvmpipe), at small sizes.

    python3 tests/rusticl/rusticl.py 06-dot-product-reduction
    python3 tests/rusticl/rusticl.py total
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402

ICD = pathlib.Path("/etc/OpenCL/vendors/rusticl.icd")
ENVIRONMENT = {"RUSTICL_ENABLE": "llvmpipe", "OCL_ICD_VENDORS": str(ICD), "OCL_DEVICE": ""}


def need_rusticl():
    if not ICD.exists():
        print(f"SKIPPED: Rusticl is missing, no {ICD} (on Debian and Ubuntu: apt install mesa-opencl-icd)")
        sys.exit(chapters.SKIPPED)


def check(chapter):
    failures = 0
    sizes = chapters.small_sizes(chapter)
    for arguments in sizes:
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = chapters.run([chapters.program(chapter)] + arguments,
                                          env={**ENVIRONMENT, **chapters.remembering(folder)})
        wrong = chapters.crashed(code, err)
        if "WRONG" in err:
            wrong.append("one of the candidates computes a wrong result")
        if code != 0 or "PASSED" not in out.splitlines():
            wrong.append(f"it does not pass, exit code {code}")
        if "rusticl" not in out:
            wrong.append("it did not run on Rusticl")
        # Its times are no times. A rate made of them must not be printed.
        wrong += [f"a rate that no CPU reaches: {line}" for line in out.splitlines()
                  for rate in re.findall(r"([\d.]+) G(?:B|FLOP)/s", line) if float(rate) > 1e4]
        failures += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok'}  {' '.join([chapter] + arguments)}"
              + "".join(f"\n        {w}" for w in wrong) + (f"\n{out}{err}" if wrong else ""))
    return failures, {"runs": len(sizes)}


chapters.test("rusticl", check, "{chapters} chapters, {runs} runs passed on Mesa's Rusticl", needs=need_rusticl)
