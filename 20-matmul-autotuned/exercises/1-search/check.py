from checker import behaviour
from checker.shared_checks import fields
from checker.timing import commands, milliseconds, starting


def check(attempt):
    """20/1: what has no room is pruned, what is wrong is left out, and the fastest of the rest is the best."""
    names = {
        "TILE = 8, everything": (8, 0),
        "TILE = 16, everything": (16, 0),
        "TILE = 32, everything": (32, 0),
        "TILE = 16, whole steps of K": (16, 1),
        "TILE = 16, whole tiles of C": (16, 2),
    }

    def verdicts(run):
        """{candidate: (line, rest of that line)}"""
        return {text.split(":")[0]: (line, text) for line in ("pruned", "wrong", "time") for text in fields(run, line)}

    # Version 1 is wrong at the first size, 2 at the second, and then each launch takes 3 s, the later ones a little less.
    slow = {"durations": " ".join(f"{3000 - launch}" for launch in range(99))}
    for args, layer in [(["32", "48", "20"], {}), (["20", "32", "48"], {}), (["17", "33", "65"], slow)]:
        run = attempt.pocl(args, layer=layer)
        if behaviour.unwaited(run):
            return behaviour.unwaited(run)
        said = verdicts(run)
        m, n, k = map(int, args)
        at = f"with {'×'.join(args)}, "
        for name, (tile, version) in names.items():
            right = version == 0 or (k % tile == 0 if version == 1 else m % tile == 0 and n % tile == 0)
            line = said.get(name, ("nothing", ""))[0]
            if line == "nothing":
                return [f"{at}there is no line time, wrong or pruned that names {name}"]
            if line == "pruned":
                return [f"{at}{name} is pruned, and it fits this device"]
            if not right and line == "time":
                return [
                    f"{at}{name} computes a wrong product there, and is not left out: is C full of NaN before it runs, "
                    "and is all of C looked at?"
                ]
            if right and line == "wrong":
                return [f"{at}{name} computes the right product there, and is called wrong"]
        found = {name: milliseconds(text)[0] for name, (line, text) in said.items() if line == "time"}
        each = [ms for ms in commands(run, "EnqueueNDRangeKernel") if ms is not None]
        for name, ms in found.items():
            if ms is None or not any(abs(ms - one) < 1e-6 for one in each):
                return [f"{at}the time of {name} is {ms} ms, and no launch took that long"]
        best, fastest = (fields(run, "best") or ["nothing"])[0], min(found, key=found.get)
        if best not in found:
            return [f"{at}the line best says {best!r}, which is none of the right ones"]
        if found[best] > found[fastest]:
            return [
                f"{at}{fastest} took {found[fastest]:.6f} ms, less than the {found[best]:.6f} ms of {best} that is "
                "called the best"
            ]
        if left := behaviour.released(run):
            return left
    for items, local in [(64, 32768), (1024, 4096), (32, 32768)]:
        run = attempt.pocl(["1"], layer={"device.group": items, "device.local_memory": local})
        device = f"on a device with {items} work-items in a group and {local} bytes of local memory, "
        said = verdicts(run)
        fit = [name for name, (tile, _) in names.items() if tile * tile <= items and 8 * tile * tile <= local]
        for name in names:
            pruned = said.get(name, ("nothing", ""))[0] == "pruned"
            if pruned and name in fit:
                return [f"{device}{name} is pruned, and it fits"]
            if not pruned and name not in fit:
                why = f": {attempt.broken(run)}" if attempt.broken(run) else ""
                return [f"{device}{name} has no room, and is not pruned{why}"]
        launched = len(starting(run, "EnqueueNDRangeKernel"))
        if not fit and launched:
            return [f"{device}no candidate has room, and {launched} are launched"]
        if fit and not run.passed():
            return [device + (attempt.broken(run) or attempt.first_wrong(run))]
    return []
