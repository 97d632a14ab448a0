from checker.shared_checks import fields, too_little_room


def check(attempt):
    """02/1: the two limits, compared with those that the device is said to have."""
    if complaints := too_little_room(attempt):
        return complaints
    run = attempt.pocl([], layer={}, POCL_DEVICES="basic basic", OCL_DEVICE="0:1")
    asked = [call.split()[1:4:2] for call in run.calls if call.startswith("GetDeviceInfo")]
    if any(what in ("1004", "1023") and device == asked[0][1] for what, device in asked):
        return ["with OCL_DEVICE=0:1, the program asks the device 0:0 for its limits: another one than it runs on"]
    usual = fields(attempt.plain([]), "items")
    for in_one_dimension in (77, 1000003):
        if fields(attempt.pocl([], layer={"device.sizes": f"{in_one_dimension} " * 3}), "items") != usual:
            return ["items is how many work-items one dimension can have, and not how many a group can have in all"]
    for items, local in [(256, 4096), (96, 40000), (1024, 1000), (512, 1003)]:
        run = attempt.pocl([], layer={"device.group": items, "device.local_memory": local})
        if run.code != 0:
            return [attempt.broken(run) or f"on another device it ends with exit code {run.code}"]
        for name, right in [("items", items), ("floats", local // 4)]:
            got = (fields(run, name) or ["nothing"])[0]
            if got != str(right):
                return [
                    f"on a device with {items} work-items in a group and {local} bytes of local memory, {name} should "
                    f"be {right} and is {got}"
                ]
    return []
