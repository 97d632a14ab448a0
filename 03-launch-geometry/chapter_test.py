TIME_SIZES = [["1000003"], ["4096"]]  # the last one is whole work-groups
