// Other devices. Those of the implementation look and behave like others: what is above a limit is
// refused with the code that the specification names. Platforms of our own, that real devices are
// dealt out to; and devices on paper, which say what they are, and can do nothing.
#include "layer.h"

#include <algorithm>
#include <array>

// A device of a platform of our own. On paper, it is its own handle; else a real one's.
struct own_device {
  std::string type, place; // place: "1:0"
  cl_ulong number;         // of all devices
  size_t platform;
  bool is_paper;
};
struct devices_state {
  std::map<cl_device_id, own_device> own;
  std::vector<std::vector<cl_device_id>> platforms; // of our own
};
static devices_state &the = *new devices_state; // NOLINT(cert-err58-cpp): see layer.cpp
static functions below;

// "3.0", or the whole text that a device says: "OpenCL 3.0 PoCL".
static std::string version() {
  const std::string text = setting("device.version");
  return text.rfind("OpenCL ", 0) == 0 ? text : "OpenCL " + text + " pretended";
}
// Does it say that it is an older OpenCL than 2.0?
static bool is_old() {
  return is_set("device.version") && version()[strlen("OpenCL ")] == '1';
}

// ---- Platforms of our own -----------------------------------------------------------------------

static cl_device_type type_named(const std::string &name) {
  return name == "cpu"           ? CL_DEVICE_TYPE_CPU
         : name == "accelerator" ? CL_DEVICE_TYPE_ACCELERATOR
                                 : CL_DEVICE_TYPE_GPU;
}

// A platform's handle is its number, from 1 on.
static cl_platform_id handle_of(const size_t p) {
  return reinterpret_cast<cl_platform_id>(p + 1); // NOLINT(performance-no-int-to-ptr)
}
static bool is_own(cl_platform_id platform) {
  return reinterpret_cast<size_t>(platform) - 1 < the.platforms.size();
}

static std::vector<cl_platform_id> real_platforms() {
  cl_uint count = 0;
  below.clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> list(count);
  below.clGetPlatformIDs(count, list.data(), nullptr);
  return list;
}

static std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  if (is_own(platform))
    return the.platforms[reinterpret_cast<size_t>(platform) - 1];
  cl_uint count = 0;
  below.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> list(count);
  below.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, list.data(), nullptr);
  return list;
}

// Gives back a list as clGetPlatformIDs and clGetDeviceIDs do.
template <typename T>
static void give_list(const std::vector<T> &all, const cl_uint room, T *list, cl_uint *count) {
  if (list != nullptr)
    std::copy_n(all.begin(), std::min<size_t>(room, all.size()), list);
  if (count != nullptr)
    *count = static_cast<cl_uint>(all.size());
}

// Makes the platforms that `devices` names: types by commas, platforms by slashes.
static void make_platforms() {
  const bool is_paper = number("on_paper") == 1;
  std::vector<cl_device_id> list;
  for (cl_platform_id platform : real_platforms())
    if (!is_paper && list.empty())
      list = devices_of(platform);
  size_t next = 0;
  std::vector<std::vector<cl_device_id>> made;
  for (const std::string &types : words_of(setting("devices") + " ", '/')) {
    made.emplace_back();
    for (const std::string &word : words_of(types, ',')) {
      const std::string type = word.substr(0, word.find(' '));
      if (type.empty())
        continue;
      if (!is_paper && next == list.size())
        give_up("fewer devices than it names: devices = " + setting("devices"));
      const size_t platform = made.size() - 1;
      const std::string place = std::to_string(platform) + ":" + std::to_string(made.back().size());
      auto *const now = new own_device{type, place, next, platform, is_paper};
      made.back().push_back(is_paper ? reinterpret_cast<cl_device_id>(now) : list[next]);
      the.own[made.back().back()] = *now;
      next++;
    }
  }
  the.platforms = made;
}

static cl_int get_platforms(const cl_uint room, cl_platform_id *list, cl_uint *count) {
  if (the.platforms.empty())
    make_platforms();
  std::vector<cl_platform_id> all;
  if (number("beside") == 1)
    all = real_platforms();
  for (size_t p = the.platforms.size(); p-- > 0;)
    all.insert(all.begin(), handle_of(p));
  give_list(all, room, list, count);
  return CL_SUCCESS;
}

static cl_int platform_info(cl_platform_id platform, const cl_platform_info what, const size_t room,
                            void *to, size_t *size_ret) {
  if (!is_own(platform))
    return below.clGetPlatformInfo(platform, what, room, to, size_ret);
  if (number("on_paper") != 1)
    return below.clGetPlatformInfo(real_platforms().front(), what, room, to, size_ret);
  const std::string name =
      "Paper Platform " + std::to_string(reinterpret_cast<size_t>(platform) - 1);
  return give_back(name.c_str(), name.size() + 1, room, to, size_ret);
}

// The end of what can be done on paper; but on which device it was tried tells something.
static cl_context create_context(const cl_context_properties *properties, const cl_uint count,
                                 const cl_device_id *devices,
                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                           void *),
                                 void *data, cl_int *status) {
  if (count == 0 || the.own.count(devices[0]) == 0 || !the.own[devices[0]].is_paper)
    return below.clCreateContext(properties, count, devices, notify, data, status);
  for (cl_uint d = 0; d < count; d++)
    fprintf(stderr, "paper: a context for %s\n", the.own[devices[d]].place.c_str());
  *status = CL_DEVICE_NOT_AVAILABLE;
  return nullptr;
}

// ---- What is said of a device -------------------------------------------------------------------

static cl_device_type type_of(cl_device_id device) {
  const auto own = the.own.find(device);
  if (own != the.own.end()) {
    // The first one of a pretended platform is its default, too, which is a bit of its type.
    const bool is_default = !own->second.is_paper && own->second.place.substr(2) == "0";
    return type_named(own->second.type) | (is_default ? CL_DEVICE_TYPE_DEFAULT : 0);
  }
  if (!is_set("device.type"))
    return asked<cl_device_type>(below.clGetDeviceInfo, device, CL_DEVICE_TYPE);
  const std::vector<std::string> words = words_of(setting("device.type"));
  return type_named(words[0]) | (words.size() > 1 ? CL_DEVICE_TYPE_DEFAULT : 0);
}

static cl_int get_devices(cl_platform_id platform, const cl_device_type type, const cl_uint room,
                          cl_device_id *list, cl_uint *count) {
  std::vector<cl_device_id> found;
  for (cl_device_id device : devices_of(platform))
    if (type == CL_DEVICE_TYPE_ALL || (type_of(device) & type) != 0)
      found.push_back(device);
  give_list(found, room, list, count);
  return found.empty() ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

static std::vector<size_t> largest_sizes() {
  std::vector<size_t> sizes;
  for (const std::string &word : words_of(setting("device.sizes")))
    sizes.push_back(strtoull(word.c_str(), nullptr, 10));
  return sizes;
}

// The numbers that a device says of itself: the key of a setting; how large the answer is; and what
// it is on paper, for the first device and more for each further one: all say something else.
struct property {
  cl_device_info what;
  const char *key;
  size_t size;
  cl_ulong first, step;
};
constexpr cl_ulong KIB = 1024, MIB = 1024 * KIB;
constexpr cl_device_info CAPABILITY_MAJOR = 0x4000; // of cl_nv_device_attribute_query
static const property properties[] = {
    {CL_DEVICE_MAX_COMPUTE_UNITS, "device.compute_units", sizeof(cl_uint), 21, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, "device.vector_width", sizeof(cl_uint), 1, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, "device.vector_width", sizeof(cl_uint), 4, 4},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, "", sizeof(cl_uint), 568, 8},
    {CL_DEVICE_GLOBAL_MEM_SIZE, "device.global_memory", sizeof(cl_ulong), 41 * KIB *MIB,
     1536 * MIB},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, "device.buffer", sizeof(cl_ulong), 9 * KIB *MIB, 512 * MIB},
    {CL_DEVICE_LOCAL_MEM_SIZE, "device.local_memory", sizeof(cl_ulong), 49 * KIB, KIB},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, "device.group", sizeof(size_t), 257, 1},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, "device.resolution", sizeof(size_t), 83, 1},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, "device.unified", sizeof(cl_bool), 0, 1},
    {CAPABILITY_MAJOR, "device.capability", sizeof(cl_uint), 0, 0},
};

static std::string with_end(const std::string &text) {
  return text + '\0';
}
template <typename T> static std::string bytes_of(const T *first, const size_t count = 1) {
  return {reinterpret_cast<const char *>(first), count * sizeof *first};
}

// What the settings, or a platform of our own, say of a device; "" where they say nothing.
static std::string told(const own_device *own, cl_device_id device, const cl_device_info what) {
  const bool has_version = is_set("device.version");
  if (what == CL_DEVICE_TYPE) {
    const cl_device_type type = type_of(device);
    return bytes_of(&type);
  }
  if (own != nullptr && what == CL_DEVICE_PLATFORM) {
    cl_platform_id platform = handle_of(own->platform);
    return bytes_of(&platform);
  }
  if (own != nullptr && !own->is_paper && what == CL_DEVICE_NAME) {
    std::string name = own->type + "-" + own->place;
    std::replace(name.begin(), name.end(), ':', '-');
    return with_end(name);
  }
  if (is_set("device.name") && what == CL_DEVICE_NAME)
    return with_end(setting("device.name"));
  if (is_set("device.driver") && what == CL_DRIVER_VERSION)
    return with_end(setting("device.driver"));
  if (has_version && what == CL_DEVICE_VERSION)
    return with_end(version());
  if (has_version && what == CL_DEVICE_OPENCL_C_VERSION) // of 3.0, the least: see FEATURES
    return with_end("OpenCL C " +
                    (is_old() ? version().substr(strlen("OpenCL ")) : "1.2 pretended"));
  if (is_set("device.capability") && what == CL_DEVICE_EXTENSIONS)
    return with_end("cl_nv_device_attribute_query");
  if ((has_version || is_set("device.features")) && what == CL_DEVICE_EXTENSIONS)
    return with_end("cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
                    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
                    "cl_khr_byte_addressable_store " +
                    setting("device.extensions"));
  if (is_set("device.features") && what == CL_DEVICE_OPENCL_C_FEATURES) {
    std::vector<cl_name_version> list;
    for (const std::string &word : words_of(setting("device.features"))) {
      list.push_back({CL_MAKE_VERSION(3, 0, 0), ""});
      snprintf(list.back().name, sizeof list.back().name, "%s", word.c_str());
    }
    return bytes_of(list.data(), list.size());
  }
  if (is_set("device.sizes") && what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
    return bytes_of(largest_sizes().data(), largest_sizes().size());
  // Where it has another number of compute units, the real one has not so many to divide.
  if ((is_set("device.partition") || is_set("device.compute_units")) &&
      what == CL_DEVICE_PARTITION_PROPERTIES) {
    std::vector<cl_device_partition_property> ways;
    if (setting("device.partition").find("equally") != std::string::npos)
      ways.push_back(CL_DEVICE_PARTITION_EQUALLY);
    if (setting("device.partition").find("by_counts") != std::string::npos)
      ways.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
    if (ways.empty())
      ways.push_back(0);
    return bytes_of(ways.data(), ways.size());
  }
  if (number("device.fma", 1) == 0 && what == CL_DEVICE_SINGLE_FP_CONFIG) {
    auto config = asked<cl_device_fp_config>(below.clGetDeviceInfo, device, what);
    config &= ~static_cast<cl_device_fp_config>(CL_FP_FMA);
    return bytes_of(&config);
  }
  for (const property &one : properties)
    if (what == one.what && is_set(one.key)) {
      const cl_ulong value = number(one.key); // its low bytes come first
      return bytes_of(&value).substr(0, one.size);
    }
  return "";
}

// What a device on paper says of itself.
static std::string on_paper(const own_device &device, const cl_device_info what) {
  const std::map<cl_device_info, cl_uint> flags = {
      {CL_DEVICE_AVAILABLE, device.type != "taken"},
      {CL_DEVICE_COMPILER_AVAILABLE, device.type != "ready-made"},
      {CL_DEVICE_HOST_UNIFIED_MEMORY, device.number % 2},
      {CL_DEVICE_LOCAL_MEM_TYPE, device.number % 3 == 0 ? CL_LOCAL : CL_GLOBAL},
  };
  if (flags.count(what) != 0)
    return bytes_of(&flags.at(what));
  for (const property &one : properties)
    if (what == one.what) {
      const cl_ulong value = one.first + device.number * one.step;
      return bytes_of(&value).substr(0, one.size);
    }
  if (what == CL_DEVICE_VERSION)
    return with_end((device.type == "old" ? "OpenCL 1.1 paper " : "OpenCL 1.2 paper ") +
                    device.place);
  if (what == CL_DEVICE_OPENCL_C_VERSION)
    return with_end("OpenCL C 1.2 paper " + device.place);
  if (what == CL_DEVICE_NAME)
    return with_end("Paper " + device.type + " " + device.place);
  return with_end("Something " + device.place);
}

static cl_int device_info(cl_device_id device, const cl_device_info what, const size_t room,
                          void *to, size_t *size_ret) {
  const auto place = the.own.find(device);
  const own_device *const own = place == the.own.end() ? nullptr : &place->second;
  if (is_old() && what >= 0x104A && what <= 0x1070) // properties of OpenCL 2.0 and later
    return CL_INVALID_VALUE;
  std::string bytes = told(own, device, what);
  if (bytes.empty() && own != nullptr && own->is_paper)
    bytes = on_paper(*own, what);
  if (bytes.empty())
    return below.clGetDeviceInfo(device, what, room, to, size_ret);
  return give_back(bytes.data(), bytes.size(), room, to, size_ret);
}

// ---- What a kernel can have ---------------------------------------------------------------------

static size_t largest_group(cl_kernel kernel, cl_device_id device) {
  const auto most = asked<size_t>(kernel, device, CL_KERNEL_WORK_GROUP_SIZE);
  const auto program = asked<cl_program>(below.clGetKernelInfo, kernel, CL_KERNEL_PROGRAM);
  const bool has_barrier =
      is_set("device.barrier_group") && source_of(program).find("barrier(") != std::string::npos;
  return std::min<size_t>({most, number("device.group", most), number("device.kernel_group", most),
                           has_barrier ? number("device.barrier_group", most) : most});
}

static cl_int kernel_info(cl_kernel kernel, cl_device_id device,
                          const cl_kernel_work_group_info what, const size_t room, void *to,
                          size_t *size_ret) {
  const size_t most = largest_group(kernel, device);
  const size_t multiple = number("device.multiple", 0);
  if (what == CL_KERNEL_WORK_GROUP_SIZE)
    return give_back(&most, sizeof most, room, to, size_ret);
  if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && multiple > 0)
    return give_back(&multiple, sizeof multiple, room, to, size_ret);
  return below.clGetKernelWorkGroupInfo(kernel, device, what, room, to, size_ret);
}

// Has the program a kernel that declares more local memory, or a larger work-group
// (reqd_work_group_size), than the device has? The compilers of GPUs refuse both.
static bool asks_too_much(cl_program program) {
  cl_uint count = 0;
  const auto device = asked<cl_device_id>(below.clGetProgramInfo, program, CL_PROGRAM_DEVICES);
  below.clCreateKernelsInProgram(program, 0, nullptr, &count);
  std::vector<cl_kernel> kernels(count);
  below.clCreateKernelsInProgram(program, count, kernels.data(), nullptr);
  bool too_much = false;
  for (cl_kernel kernel : kernels) {
    const auto bytes = asked<cl_ulong>(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE);
    using sizes = std::array<size_t, 3>;
    const auto wanted = asked<sizes>(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
    const size_t items = wanted[0] * wanted[1] * wanted[2];
    too_much |=
        bytes > number("device.local_memory", bytes) || items > number("device.group", items);
    below.clReleaseKernel(kernel);
  }
  return too_much;
}

static cl_int build_program(cl_program program, const cl_uint count, const cl_device_id *list,
                            const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                            void *data) {
  std::string known = options == nullptr ? "" : options;
  // A device that is pretended to be newer has this machine's compiler, whatever that knows.
  if (is_set("device.version") && version() != setting("device.version") &&
      known.find("-cl-std=") != std::string::npos &&
      known.find("-cl-std=CL1.") == std::string::npos)
    return CL_INVALID_BUILD_OPTIONS;
  if (number("device.fma", 1) == 0 && known.find("=fma") != std::string::npos)
    return CL_INVALID_BUILD_OPTIONS;
  // No compiler here knows NVIDIA's options.
  for (size_t at; is_set("device.capability") && (at = known.find("-cl-nv-")) != std::string::npos;)
    known.erase(at, known.find(' ', at) - at);
  const cl_int status = below.clBuildProgram(program, count, list, known.c_str(), notify, data);
  return status == CL_SUCCESS && asks_too_much(program) ? CL_BUILD_PROGRAM_FAILURE : status;
}

// ---- What is refused ----------------------------------------------------------------------------

static cl_int launch(cl_command_queue queue, cl_kernel kernel, const cl_uint dims,
                     const size_t *offset, const size_t *global_size, const size_t *local_size,
                     const cl_uint count, const cl_event *list, cl_event *event) {
  const auto device = asked<cl_device_id>(below.clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE);
  const std::vector<size_t> sizes = largest_sizes();
  size_t items = 1;
  for (cl_uint i = 0; local_size != nullptr && i < dims; i++) {
    if (i < sizes.size() && local_size[i] > sizes[i])
      return CL_INVALID_WORK_ITEM_SIZE;
    if (local_size[i] == 0 || (is_old() && global_size[i] % local_size[i] != 0))
      return CL_INVALID_WORK_GROUP_SIZE;
    items *= local_size[i];
  }
  if (items > largest_group(kernel, device))
    return CL_INVALID_WORK_GROUP_SIZE;
  cl_ulong local_memory = record_of(kernel).local_bytes;
  for (const auto &[index, it] : record_of(kernel).given)
    local_memory += it.has_value ? 0 : it.size;
  if (local_memory > number("device.local_memory", local_memory))
    return CL_OUT_OF_RESOURCES;
  return below.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global_size, local_size, count,
                                      list, event);
}

static cl_mem create_buffer(cl_context context, const cl_mem_flags flags, const size_t bytes,
                            void *host, cl_int *status) {
  if (bytes <= number("device.buffer", bytes))
    return below.clCreateBuffer(context, flags, bytes, host, status);
  *status = CL_INVALID_BUFFER_SIZE;
  return nullptr;
}

// A clock without resolution says four numbers that follow each other.
static cl_int times_of(cl_event event, const cl_profiling_info moment, const size_t room, void *to,
                       size_t *size_ret) {
  const cl_ulong time = moment - CL_PROFILING_COMMAND_QUEUED;
  if (is_set("device.resolution"))
    return give_back(&time, sizeof time, room, to, size_ret);
  const auto queue = asked<cl_command_queue>(below.clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE);
  const auto device = asked<cl_device_id>(below.clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE);
  if (setting("device.times") == "0" || device != the.platforms.front().front())
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return below.clGetEventProfilingInfo(event, moment, room, to, size_ret);
}

void start_devices() {
  if (!is_set_any("device"))
    return;
  below = table;
  if (is_set("devices")) {
    table.clGetPlatformIDs = get_platforms;
    table.clGetPlatformInfo = platform_info;
    table.clCreateContext = create_context;
  }
  table.clGetDeviceIDs = get_devices;
  table.clGetDeviceInfo = device_info;
  table.clGetKernelWorkGroupInfo = kernel_info;
  table.clBuildProgram = build_program;
  table.clEnqueueNDRangeKernel = launch;
  table.clCreateBuffer = create_buffer;
  if (is_set("device.times") || is_set("device.resolution"))
    table.clGetEventProfilingInfo = times_of;
}
