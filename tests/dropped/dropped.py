"""Does a program notice that its kernels, or copies, did not run at all?

    python3 tests/dropped/dropped.py 06-dot-product-reduction
    python3 tests/dropped/dropped.py total

The layer of tests/faults reports success for a series of launches and does nothing (LAYER_DROP), one
series after the other. All memory that the program does not fill begins as an unharmed run left it
(LAYER_STALE), so with the right results: only an output that was poisoned, with NaN or the like, before
these very launches tells that they did not run. The clock is the layer's too (LAYER_CLOCK): by the
device's, multiply_add, whose work is doubled until it takes 4 ms, would never end when it does nothing.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
import layer  # noqa: E402
from layer import chapters  # noqa: E402

CEILING = "for a ceiling only its time is looked at"
# Series that may be dropped unnoticed: chapter, kernel or function, reason. One that is noticed
# nevertheless has no place here.
UNNOTICED = {
    ("16-dot-product-vectorized", "clEnqueueCopyBuffer"): CEILING,
    ("16-dot-product-vectorized", "copy"): CEILING,
    ("17-matmul-register-tiled", "multiply_add"): CEILING,
    (layer.SEARCHED, "multiply_add"): CEILING,
}
# Series whose outputs are not poisoned, since no check looks at them: an earlier run's panels of the same
# matrices are as right as new ones. These must be noticed where memory does not begin with those.
NOT_POISONED = [(layer.SEARCHED, "pack_a"), (layer.SEARCHED, "pack_b")]


def series_of(account):
    """The series of kernels and copies in a run: their numbers and names."""
    series = {}
    for line in account.lines.get("command", []):
        _, function, kernel, _, number, *_ = line.split()
        if function in ("clEnqueueNDRangeKernel", "clEnqueueCopyBuffer"):
            series[int(number)] = function if kernel == "-" else kernel
    return series


def wrong_with(chapter, arguments, counts):
    """Returns what is wrong when the chapter runs with these arguments: a list."""
    command = [chapters.program(chapter)] + arguments
    wrong = []
    with tempfile.TemporaryDirectory() as stale, tempfile.TemporaryDirectory() as cache:
        _, _, err, _ = layer.run(command, cache=cache, clock=1)
        if chapter == layer.SEARCHED:  # without a search it is the results that count
            layer.remember_another(cache, err, "panels")
        code, out, err, account = layer.run(command, cache=cache, clock=1, stale=stale)
        if code != 0 or "PASSED" not in out.splitlines():
            return [f"unharmed, it does not pass, exit code {code}\n{out}{err}"]
        for number, name in series_of(account).items():
            memory = {} if (chapter, name) in NOT_POISONED else {"stale": stale}
            code, out, err, _ = layer.run(command, cache=cache, clock=1, drop=number, **memory)
            what = f"without series {number} of its commands, {name}, "
            wrong += [what + how for how in chapters.crashed(code, err)]
            noticed = code == 1 and "FAILED" in out.splitlines() and "PASSED" not in out + err
            passed = code == 0 and "PASSED" in out.splitlines()
            may = (chapter, name) in UNNOTICED
            if not (passed if may else noticed):
                wrong.append(what + f"it ends with exit code {code} and says "
                             + ("PASSED" if passed else "FAILED" if noticed else "neither PASSED nor FAILED")
                             + (f"; in the table it has no effect: {UNNOTICED[chapter, name]}" if may else ""))
            counts["unnoticed" if may else "noticed"] += 1
    return wrong


def check(chapter):
    counts = {"noticed": 0, "unnoticed": 0}
    failures = 0
    sizes = [chapters.tiny_size(chapter)] + chapters.small_sizes(chapter)[-1:]
    if chapter == "15-device-ceilings":
        sizes = sizes[-1:]  # most of its work does not depend on N
    for arguments in sizes:
        failures += chapters.failed(f"{chapter} {' '.join(arguments)}", wrong_with(chapter, arguments, counts))
    if (chapters.ROOT / chapter / "kernel.cl").exists() and not counts["noticed"] and not failures:
        failures += 1
        print(f"FAILED  {chapter} has a kernel, and no launch was dropped")
    print(f"{chapter}: {counts['noticed']} series dropped and noticed, {counts['unnoticed']} with a reason not to, "
          f"{failures} failures")
    return failures, counts


chapters.test("dropped", check, "{chapters} chapters, {noticed} series of launches and copies that did nothing, each "
                                "of them noticed; {unnoticed} with a reason not to")
