NO_DEVICE_REFUSAL = "those above are all there are"  # it has printed the list to standard output
SAME_DEVICE_AS = "03-launch-geometry"  # it spells out pick_device
