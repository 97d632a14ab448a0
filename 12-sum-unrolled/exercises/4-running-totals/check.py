def check(attempt):
    """12/4: with distances that double, a work-item touches an array some 30 times, and one after the other, 256 times."""
    for item, name, count, _low, _high in attempt.work.each:
        if count > 100:
            return [
                f"work-item {item} reads or writes {name} {count} times in one launch: with distances that double, about "
                "three times in each of the eight steps are enough"
            ]
    return []
