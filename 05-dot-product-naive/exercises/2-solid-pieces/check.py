from checker.shared_checks import solid_pieces

OTHER_LAUNCHES = [("std::min<size_t>(32, (n", "std::min<size_t>(3, (n")]
check = solid_pieces
