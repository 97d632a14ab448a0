from checker.shared_checks import fields, too_little_room


def check(attempt):
    """02/2: the largest power of two that fits the device and its local memory."""
    if complaints := too_little_room(attempt):
        return complaints
    cases = [(256, 32768, 1), (96, 32768, 1), (1024, 1000, 1), (1024, 32768, 10), (256, 32768, 2**30)]
    cases += [(256, 32768, 2**61)]  # times 8: 2^64
    cases += [(items, 2**40, 1) for power in (2, 32, 1024, 2**30) for items in (power, 2 * power - 1)]
    cases += [(4096, 2**40, each) for each in (2**32, 2**33, 2**38)]
    cases += [(4096, 2**26 + 7, 2**23 + 1), (4096, 2**30 - 1, 2**18)]  # by one byte, which a float does not show
    layers = [{"device.group": items, "device.local_memory": local} for items, local, _ in cases]
    runs = attempt.at_once(lambda it: attempt.pocl([str(it[0][2])], layer=it[1]), zip(cases, layers))
    for (items, local, each), run in zip(cases, runs):
        if run.code != 0:
            return [attempt.broken(run) or f"on another device it ends with exit code {run.code}"]
        right = 1
        while right * 2 <= items and right * 2 * each * 4 <= local:
            right *= 2
        got = (fields(run, "group") or ["nothing"])[0]
        none_fits = each * 4 > local
        if got != str(right) and not (none_fits and got == "0"):
            return [
                f"on a device with {items} work-items in a group and {local} bytes of local memory, with {each} float{'s' * (each > 1)} "
                f"for each work-item, the group should have {right} work-item{'s' * (right > 1)} and has {got}"
            ]
    return []
