from checker.shared_checks import in_24_bits


def check(attempt):
    """08/1: an index has as many bits as it takes."""
    return in_24_bits(attempt)
