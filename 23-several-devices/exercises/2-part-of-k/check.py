from checker.shared_checks import at_the_same_time

check = at_the_same_time
