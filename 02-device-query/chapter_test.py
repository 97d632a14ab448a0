# What devices on paper say of themselves is in checker/layer/devices.cpp.
PRINTED = """\
device    Paper gpu 0:1 (Paper Platform 0)
chosen    0:1, the first GPU of 2 devices

platform 0: Paper Platform 0
  0:0  Paper cpu 0:0, a CPU
       version          OpenCL 1.2 paper 0:0
       kernel language  OpenCL C 1.2 paper 0:0
       compute units    21
       work-group       at most 257 work-items
       global memory    41.0 GiB, at most 9.0 GiB in one buffer
       host's memory    separate; buffers start at multiples of 71 bytes
       local memory     49 KiB for a work-group, a memory of its own
       vectors          1 float at a time
       clock            one tick is 83 ns
  0:1  Paper gpu 0:1, a GPU  <- the one that the chapters use
       version          OpenCL 1.2 paper 0:1
       kernel language  OpenCL C 1.2 paper 0:1
       compute units    22
       work-group       at most 258 work-items
       global memory    42.5 GiB, at most 9.5 GiB in one buffer
       host's memory    the same; buffers start at multiples of 72 bytes
       local memory     50 KiB for a work-group, a piece of global memory
       vectors          2 floats at a time
       clock            one tick is 84 ns

PASSED
"""
SAYS = [([], r"host's memory    the same;", "unified 1"), ([], r"host's memory    separate;", "unified 0")]
