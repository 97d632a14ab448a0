from checker.shared_checks import fields, too_little_room


def check(attempt):
    """02/2: the largest power of two that fits the device and its local memory."""
    for items, local, each in [
        (256, 32768, 1),
        (96, 32768, 1),
        (1024, 1000, 1),
        (1024, 32768, 10),
        (256, 32768, 2**30),
        (256, 32768, 2**61),  # times 8: 2^64
    ]:
        run = attempt.simulated([str(each)], ["--max-wgsize", str(items), "--local-mem-size", str(local)])
        if run is None:
            return []
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
    for exponent in (1, 5, 10, 30):
        for items in (2**exponent, 2 ** (exponent + 1) - 1):
            run = attempt.pocl(["1"], layer={"device.group": items, "device.local_memory": 2**40})
            got = (fields(run, "group") or ["nothing"])[0]
            if got != str(2**exponent):
                return [
                    f"on a device with {items} work-items in a group and 2^40 bytes of local memory, the group should have "
                    f"{2**exponent} work-items and has {got}"
                ]
    if complaints := too_little_room(attempt):
        return complaints
    for local, each, right in [
        (2**40, 2**32, 64),
        (2**40, 2**33, 32),
        (2**40, 2**38, 1),
        (2**26 + 7, 2**23 + 1, 1),  # by one byte, which a float does not show
        (2**30 - 1, 2**18, 512),
    ]:
        run = attempt.pocl([str(each)], layer={"device.group": 4096, "device.local_memory": local})
        if (got := (fields(run, "group") or ["nothing"])[0]) != str(right):
            return [
                f"on a device with {local} bytes of local memory, with {each} floats for each work-item, the group should have "
                f"{right} work-items and has {got}"
            ]
    return []
