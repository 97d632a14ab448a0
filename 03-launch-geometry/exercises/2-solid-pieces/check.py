from checker.shared_checks import solid_pieces

OTHER_LAUNCHES = [('{"pieces", 3, 1}', '{"pieces", 3, 5}')]
check = solid_pieces
