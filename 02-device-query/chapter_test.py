def _matches(wish, place, kind):
    """Does a device of paper answer to a wish? By its type, its place, or a part of its or its platform's name."""
    if wish.lower() in ("cpu", "gpu"):
        return wish.lower() == kind
    return wish == place or wish.lower() in f"paper {kind} {place}" or wish.lower() in f"paper platform {place[0]}"


def printed(machine, wish, place):
    """Its whole output on devices of paper: what they say is in checker/layer/devices.cpp."""
    kinds = {"gpu": "GPU", "accelerator": "accelerator", "cpu": "CPU", "other": "device of another kind"}
    platforms = [types.split(",") if types else [] for types in machine.split("/")]
    p, d = map(int, place.split(":"))
    all_places = [(f"{i}:{j}", kind) for i, types in enumerate(platforms) for j, kind in enumerate(types)]
    number, count = 0, sum(wish is None or _matches(wish, *each) for each in all_places)
    chosen = "the only device" if count == 1 else f"the first {kinds[platforms[p][d]]} of {count} devices"
    chosen += f" for OCL_DEVICE={wish}" if wish else ""
    lines = [f"device    Paper {platforms[p][d]} {place} (Paper Platform {p})", f"chosen    {place}, {chosen}"]
    for p, types in enumerate(platforms):
        lines += ["", f"platform {p}: Paper Platform {p}"]
        lines += ["  no device that can be used here"] * (not types)
        for d, kind in enumerate(types):
            here, n = f"{p}:{d}", number
            lines += [
                f"  {here}  Paper {kind} {here}, a {kinds[kind]}"
                + "  <- the one that the chapters use" * (here == place),
                f"       version          OpenCL 1.2 paper {here}",
                f"       kernel language  OpenCL C 1.2 paper {here}",
                f"       compute units    {21 + n}",
                f"       work-group       at most {257 + n} work-items",
                f"       global memory    {41 + 1.5 * n:.1f} GiB, at most {9 + 0.5 * n:.1f} GiB in one buffer",
                f"       host's memory    {'the same' if n % 2 else 'separate'}; buffers start at multiples of {71 + n} bytes",
                f"       local memory     {49 + n} KiB for a work-group, "
                + ("a piece of global memory" if n % 3 else "a memory of its own"),
                f"       vectors          {1 + n} float{'s' * (n > 0)} at a time",
                f"       clock            one tick is {83 + n} ns",
            ]
            number += 1
    return "\n".join([*lines, "", "PASSED", ""])
