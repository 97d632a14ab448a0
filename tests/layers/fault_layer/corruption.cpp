// One element changed on its way, by a little:
//
//   LAYER_CORRUPT   a folder: the process is split in two (see fork_child) once for each place and
//                   change; in the child the element there is another one, and it goes on to its
//                   end with that; the parent, which waits for it, goes on with the right one
//   LAYER_WAY       back: of what is read or mapped from the device; there: of what is written to
//                   it, the host's own copy staying as it is
//   LAYER_TRANSFER  the number of the only transfer that is changed, the first one being 1; unset
//   or
//                   0: each of them
//   LAYER_CHANGES   separated by commas: ulp (the next float, or whole number; of 0: 1.0), sign,
//   nan, or a
//                   number that is added to the float. The first one is made at every place, the
//                   others at the first, the middle and the last one
//   LAYER_STRIDES   numbers, separated by commas, such as the length of a row: the places around
//                   the first, middle and last multiple count as well. "few": no places but the
//                   first, the middle and the last one
//
// An element is four bytes, of whatever type. Not changed is what would change nothing: NaN, which
// only poisons what a kernel is to write, or lies behind the last element; the sign of 0. For each
// child a line in <folder>/log: its number, that of the transfer, function, place, change, and how
// it ended (the status of waitpid).
//
// The child has none of the parent's other threads and has to compute: on PoCL, the device "basic"
// needs none.
#include "layer.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>

struct corruption_state {
  std::string folder; // empty: nothing is changed, or this is a child
  bool back = false;
  std::vector<std::string> changes, strides;
  FILE *log = nullptr;
  size_t transfers = 0, children = 0;
  std::map<void *, size_t> mapped; // regions that the host writes to, and their bytes
  std::set<cl_mem> arguments;      // buffers that a kernel is given
};
static corruption_state &corruption = *new corruption_state; // NOLINT(cert-err58-cpp): layer.cpp

constexpr uint32_t nan_word = 0x7FC00000;

static std::vector<std::string> split_at_commas(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

static std::set<size_t> few_places(const size_t n) {
  return {0, n / 2, n - 1};
}

static std::set<size_t> all_places(const size_t n) {
  std::set<size_t> places = few_places(n);
  const auto around = [&](const size_t at) {
    for (size_t i = at == 0 ? 0 : at - 1; i < std::min(n, at + 2); i++)
      places.insert(i);
  };
  for (const std::string &text : corruption.strides) {
    if (text == "few")
      return places;
    const size_t stride = std::stoul(text);
    for (const size_t row : {size_t{1}, n / stride / 2, n / stride})
      around(row * stride);
    around(n - std::min(n, stride)); // where the last row begins
  }
  for (size_t power = 1; power < n; power *= 2)
    around(power);
  return places;
}

// Changes an element; false if that would change nothing.
static bool change(uint32_t &word, const std::string &how) {
  const uint32_t old = word;
  float value;
  memcpy(&value, &word, sizeof value);
  if (value != value)
    return false;
  if (how == "ulp")
    word =
        word == 0 ? 0x3F800000u : word + 1; // what is next to 0 is too small for a sum to show it
  else if (how == "sign")
    word ^= word == 0 ? 0 : 0x80000000u;
  else if (how == "nan")
    word = nan_word;
  else {
    value += std::stof(how);
    memcpy(&word, &value, sizeof word);
  }
  return word != old;
}

// Splits the process for each change of `data`. Returns true in a child, where one is made.
static bool try_changes(void *data, const size_t bytes, const char *function) {
  if (corruption.folder.empty() || bytes < sizeof(uint32_t))
    return false;
  size_t n = bytes / sizeof(uint32_t);
  auto *const words = static_cast<uint32_t *>(data);
  while (n > 1 && words[n - 1] == nan_word)
    n--;
  const std::set<size_t> few = few_places(n);
  corruption.transfers++;
  the.mutex.unlock(); // a child does not own what its parent has locked
  bool is_child = false;
  for (const size_t place : all_places(n))
    for (const std::string &how : corruption.changes) {
      uint32_t changed = words[place];
      int status;
      if ((how != corruption.changes[0] && few.count(place) == 0) || !change(changed, how))
        continue;
      const std::string name = corruption.folder + "/" + std::to_string(corruption.children);
      is_child = fork_child(name, 100, status);
      if (is_child) {
        words[place] = changed;
        the.report_path = name + ".report";
        corruption.folder.clear();
        the.mutex.lock();
        return true;
      }
      fprintf(corruption.log, "%zu %zu %s %zu %s %d\n", corruption.children++, corruption.transfers,
              function, place, how.c_str(), status);
      fflush(corruption.log);
    }
  the.mutex.lock();
  return false;
}

static cl_int CL_API_CALL read_changed(cl_command_queue queue, cl_mem buffer,
                                       const cl_bool blocking, const size_t offset,
                                       const size_t bytes, void *to, const cl_uint count,
                                       const cl_event *list, cl_event *event) {
  cl_int status =
      the.real->clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to, count, list, event);
  if (status == CL_SUCCESS)
    status = the.real->clFinish(queue);
  if (status == CL_SUCCESS)
    try_changes(to, bytes, "clEnqueueReadBuffer");
  return status;
}

static void *CL_API_CALL map_changed(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                                     const cl_map_flags flags, const size_t offset,
                                     const size_t bytes, const cl_uint count, const cl_event *list,
                                     cl_event *event, cl_int *status) {
  void *region = the.real->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, count,
                                              list, event, status);
  if (region == nullptr)
    return region;
  the.real->clFinish(queue);
  if (corruption.back && (flags & CL_MAP_READ) != 0)
    try_changes(region, bytes, "clEnqueueMapBuffer");
  if (!corruption.back && flags != CL_MAP_READ)
    corruption.mapped[region] = bytes;
  return region;
}

static cl_int CL_API_CALL unmap_changed(cl_command_queue queue, cl_mem buffer, void *region,
                                        const cl_uint count, const cl_event *list,
                                        cl_event *event) {
  const auto place = corruption.mapped.find(region);
  if (place != corruption.mapped.end()) {
    // What no kernel is given is the host's own memory, which copies come from: these are changed.
    if (corruption.arguments.count(buffer) != 0)
      try_changes(region, place->second, "clEnqueueUnmapMemObject");
    corruption.mapped.erase(place);
  }
  return the.real->clEnqueueUnmapMemObject(queue, buffer, region, count, list, event);
}

static cl_int CL_API_CALL write_changed(cl_command_queue queue, cl_mem buffer,
                                        const cl_bool blocking, const size_t offset,
                                        const size_t bytes, const void *from, const cl_uint count,
                                        const cl_event *list, cl_event *event) {
  std::vector<char> copy(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
  const bool changed = try_changes(copy.data(), bytes, "clEnqueueWriteBuffer");
  const cl_int status = the.real->clEnqueueWriteBuffer(
      queue, buffer, blocking, offset, bytes, changed ? copy.data() : from, count, list, event);
  if (changed)
    the.real->clFinish(queue); // the copy goes
  return status;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, const cl_uint index, const size_t size,
                                       const void *value) {
  cl_mem buffer;
  if (value != nullptr && size == sizeof buffer) {
    memcpy(&buffer, value, sizeof buffer);
    corruption.arguments.insert(buffer);
  }
  return the.real->clSetKernelArg(kernel, index, size, value);
}

static cl_mem CL_API_CALL create_changed(cl_context context, const cl_mem_flags flags,
                                         const size_t bytes, void *host, cl_int *status) {
  if (host == nullptr || (flags & CL_MEM_COPY_HOST_PTR) == 0)
    return the.real->clCreateBuffer(context, flags, bytes, host, status);
  std::vector<char> copy(static_cast<char *>(host), static_cast<char *>(host) + bytes);
  try_changes(copy.data(), bytes, "clCreateBuffer");
  return the.real->clCreateBuffer(context, flags, bytes, copy.data(), status);
}

// Transfers that nothing is changed in yet: a chapter that uses them is to be noticed.
template <typename... A> static cl_int CL_API_CALL not_known(A...) {
  give_up("corruption.cpp does not know a transfer that this program uses");
}

void corrupt(cl_icd_dispatch &table) {
  corruption.folder = text_from("LAYER_CORRUPT");
  if (corruption.folder.empty())
    return;
  corruption.log = fopen((corruption.folder + "/log").c_str(), "w");
  if (corruption.log == nullptr)
    give_up("LAYER_CORRUPT names no folder that can be written to");
  corruption.back = text_from("LAYER_WAY") == "back";
  corruption.changes = split_at_commas(text_from("LAYER_CHANGES"));
  corruption.strides = split_at_commas(text_from("LAYER_STRIDES"));
  table.clEnqueueMapBuffer = map_changed;
  table.clEnqueueReadBufferRect = not_known;
  table.clEnqueueWriteBufferRect = not_known;
  if (corruption.back) {
    table.clEnqueueReadBuffer = read_changed;
  } else {
    table.clCreateBuffer = create_changed;
    table.clEnqueueWriteBuffer = write_changed;
    table.clEnqueueUnmapMemObject = unmap_changed;
    table.clSetKernelArg = set_argument;
  }
}
