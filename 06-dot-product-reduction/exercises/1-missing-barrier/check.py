OTHER_LAUNCHES = [("group_size(kernel, device, 64)", "group_size(kernel, device, 128)")]
