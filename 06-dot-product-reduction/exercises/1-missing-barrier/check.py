from checker.behaviour import other_launch


def check(attempt):
    return other_launch(attempt, ("group_size(kernel, device, 64)", "group_size(kernel, device, 128)"))
