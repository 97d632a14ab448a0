import itertools
import re

from checker import behaviour
from checker.shared_checks import fields
from checker.timing import commands, median, milliseconds, starting


def check(attempt):
    """12/3: the best UF is the one with the shortest time that was printed; and not that with the shortest of all runs."""
    complaints, order = uf_once(attempt)
    if complaints:
        return complaints
    # 4 is the best; 8 has a run, the third, that is shorter, and 16 a warm-up. Then the differences are less than a
    # microsecond, or than what might be called noise.
    totals = {4: [20] * 99, 8: [40, 40, 1] + [40] * 96, 16: [1] + [40] * 98}
    ufs = sorted({uf for uf, _, _ in order})
    close, closer = ({uf: [most - 0.0001 * i] * 99 for i, uf in enumerate(ufs)} for most in (0.0054, 5))
    for took, best in ((totals, 4), (close, ufs[-1]), (closer, ufs[-1])):
        clock = [took.get(uf, [60] * 99)[turn] / levels for uf, levels, turn in order for _ in range(levels)]
        complaints, _ = uf_once(attempt, best, durations=" ".join(f"{ms:.6f}" for ms in clock))
        if complaints:
            return complaints
    complaints, _ = uf_once(attempt, 64, durations="3000 " * 999)  # each launch, and 64 has the fewest
    if complaints:
        return complaints
    for uf in (2, 64):  # which need not be the best; on Oclgrind, since it takes less time to build
        spoilt = attempt.kernel.replace("data[i] = sum;", f"data[i] = UF == {uf} ? sum + 1.0f : sum;")
        run = attempt.simulated(["300"], watched=False, kernel=spoilt)
        if run and run.passed():
            return [f"with a kernel that is wrong for UF = {uf} alone, the program still says PASSED"]
    return []


def uf_once(attempt, wanted=None, **settings):
    """The same in one run, in which the UF `wanted` is the fastest: complaints; and of each of its runs, in their order, the UF,
    how many launches it is, and how many runs this UF had before."""
    run = attempt.pocl(["200000"], layer=settings)
    if behaviour.unwaited(run):
        return behaviour.unwaited(run), []
    found = {}
    for text in fields(run, "time"):
        of = re.match(r"UF\D*(\d+)", text)
        if of and milliseconds(text)[0] is not None:
            found[int(of[1])] = milliseconds(text)[0]
    best = (re.findall(r"\d+", (fields(run, "best") or [""])[0]) or ["nothing"])[0]
    if sorted(found) != [2, 4, 8, 16, 32, 64]:
        return [f"times for UF = 2, 4, 8, 16, 32 and 64 are wanted; there are those of {sorted(found)}"], []
    if not best.isdigit() or int(best) not in found:
        return [f"the line best says {best!r}, which is none of them"], []
    each = commands(run, "EnqueueNDRangeKernel")
    levels = {}  # launches of a run
    for uf in found:
        left, levels[uf] = 200000, 0
        while left > 1:
            left, levels[uf] = max(1, left // uf), levels[uf] + 1
    runs, rest = divmod(len(each), sum(levels.values()))
    if None in each or rest or runs < 2:
        return [
            f"a run is {levels[2]} launches with UF = 2, {levels[4]} with UF = 4 and so on, {sum(levels.values())} with "
            f"all six, and each launch has a time; there are {len(each)} launches"
            + (f", and of {each.count(None)} nobody asked for start and end" if None in each else "")
        ], []
    # One UF after the other, or all of them in turns, each with a kernel of its own: in the order of the lines.
    first = [call.split()[1] for call in starting(run, "with ")][: sum(levels.values())]
    turns = len(set(first)) > 1 and [len(list(same)) for _, same in itertools.groupby(first)] == list(levels.values())
    order = [(uf, levels[uf], turn) for uf in found for turn in range(runs)]
    order.sort(key=lambda one: one[2] if turns else 0)
    times, at = {uf: [] for uf in found}, 0
    for uf, length, _ in order:
        times[uf].append(sum(each[at : at + length]))
        at += length
    for uf, sums in times.items():
        if not any(abs(found[uf] - right) <= 0.001 + 0.001 * right for right in (median(sums[1:]), median(sums))):
            return [
                f"a run with UF = {uf} is {levels[uf]} launches, which take {median(sums[1:]):.3f} ms together (the median "
                f"of {runs - 1}); the program prints {found[uf]:.3f} ms: is the sum of all levels in it?"
            ], []
    if found[int(best)] > min(found.values()):
        fastest = min(found, key=found.get)
        return [
            f"UF = {fastest} took {found[fastest]:.6f} ms, less than the {found[int(best)]:.6f} ms of the UF = {best} "
            "that is called the best"
        ], []
    if wanted and int(best) != wanted:
        return [
            f"by its events UF = {wanted} was the fastest, if only by a little, and UF = {best} is called the best"
        ], []
    return behaviour.released(run), order
