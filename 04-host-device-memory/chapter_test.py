from checker.references import elements

REFERENCES = {"twice_plus_one": elements(lambda x: 2 * x + 1, operations=2)}
