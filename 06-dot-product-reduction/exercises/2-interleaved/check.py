OTHER_LAUNCHES = [("group_size(kernel, device, 64)", "group_size(kernel, device, 128)")]


def check(attempt):
    """06/2: no work-item adds what is half a group away, as in the chapter's tree."""
    touched = attempt.work.array("sums")
    most, item = max(((one[2], one[0]) for one in attempt.work.each if one[1] == "sums"), default=(0, 0))
    if most > 48:  # six steps, of which none has more than one pair for a work-item
        return [
            f"work-item {item} touches sums {most} times: each work-item is to add one pair in a step, and not more"
        ]
    if touched.get(1, (0, 0, 0))[2] == 33:
        return ["work-item 1 adds sums[33] to its own, which is 32 apart: this tree is to begin with neighbours"]
    return []
