from checker.references import dot_product

BENCH = {"vectors": {"both": "16 vectorized"}}
OCLGRIND_SIZES = [["1"], ["256"], ["60003"]]  # on the simulated device: in vectors of 4, 1024 work-items in turns
FORCED = [(f"#undef STRETCH\n#define STRETCH {way}\n", "") for way in (0, 1)]  # as for a GPU, and as for a CPU
REFERENCES = {"add_partial_sums": dot_product}
