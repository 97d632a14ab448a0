def check(attempt):
    """12/5: a pair is two reads and two writes, or a few more, and each work-item has one: nobody sorts a block alone."""
    for item, name, count, _low, _high in attempt.work.each:
        if count > 8:
            return [
                f"work-item {item} reads or writes {name} {count} times in one launch: it has a single pair, and two reads "
                "and two writes are enough"
            ]
    return []
