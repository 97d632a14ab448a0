// What goes to the device and what comes back: kept in files, changed, late, or lost.
//
// An input is what is copied into a buffer, written, or mapped, unless it begins with NaN, as
// poisoned outputs do, or is all alike. With `late`, results arrive when the program has waited for
// something, and what is mapped is a copy, without contents if the program is to write all of it.
#include "layer.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

struct known_buffer {
  size_t input;      // which one it is, from 1 on; 0: none
  bool is_the_hosts; // its memory is the program's own
};
struct mapped_region {
  void *real;
  size_t bytes;
  cl_map_flags flags;
};
struct delivery { // a result that the program has not waited for
  void *to;
  std::vector<char> bytes;
};
struct buffers_state {
  std::map<cl_mem, known_buffer> buffers;
  size_t num_inputs = 0, num_transfers = 0, num_results = 0;
  std::deque<std::vector<char>> kept; // what a transfer that does not wait may still read
  std::map<void *, mapped_region> regions;
  bool late = false;
  std::vector<delivery> deliveries;
  std::string corrupt; // a folder; empty: nothing is changed, or this is a child
  bool back = false;
  std::vector<std::string> changes;
  size_t transfers = 0, children = 0;
};
static buffers_state &the = *new buffers_state; // NOLINT(cert-err58-cpp): see layer.cpp
static functions below;

// ---- One element changed on its way: `corrupt` --------------------------------------------------

constexpr uint32_t NAN_WORD = 0x7FC00000;

// An element changed; the same where that would change nothing.
static uint32_t changed(uint32_t word, const std::string &how) {
  float value;
  memcpy(&value, &word, sizeof value);
  if (std::isnan(value))
    return word;
  if (how == "sign")
    return word == 0 ? 0 : word ^ 0x80000000U;
  if (how == "nan")
    return NAN_WORD;
  value += std::stof(how);
  memcpy(&word, &value, sizeof word);
  return word;
}

// Splits the process for each change of the first, the middle and the last element of `data` (what
// lies behind the last is NaN). The child goes on to its end with another element there, the parent
// with the right one. The child has to compute without the parent's other threads: on PoCL, the
// device "basic" needs none.
static void try_changes(void *data, const size_t bytes) {
  if (the.corrupt.empty() || bytes < sizeof(uint32_t))
    return;
  size_t n = bytes / sizeof(uint32_t);
  auto *const words = static_cast<uint32_t *>(data);
  while (n > 1 && words[n - 1] == NAN_WORD)
    n--;
  the.transfers++;
  for (const size_t place : std::set<size_t>{0, n / 2, n - 1})
    for (const std::string &how : the.changes) {
      const uint32_t other = changed(words[place], how);
      if (other == words[place])
        continue;
      const std::string name = std::to_string(the.children++);
      const std::string what = line_of(name, the.transfers, layer.function, place, how);
      if (fork_child(the.corrupt, name, what, 100)) {
        words[place] = other;
        the.corrupt.clear();
        return;
      }
    }
}

// ---- Inputs -------------------------------------------------------------------------------------

static bool is_input(const void *data, const size_t bytes) {
  const auto *const words = static_cast<const uint32_t *>(data);
  const size_t n = bytes / sizeof(uint32_t);
  const auto differs = [&](const uint32_t word) { return word != words[0]; };
  return n >= 2 && !std::isnan(*static_cast<const float *>(data)) &&
         std::any_of(words, words + n, differs);
}

static void take_input(const size_t number, std::vector<char> &data) {
  const std::vector<char> other = read_file(setting("take") + "/in" + std::to_string(number));
  std::copy_n(other.begin(), std::min(other.size(), data.size()), data.begin());
  if (is_set("keep"))
    write_file(setting("keep") + "/in" + std::to_string(the.num_transfers), data.data(),
               data.size());
}

// What goes to the device in place of `data`; `buffer` is null while it is made.
static const void *sent(cl_mem buffer, const void *data, const size_t bytes) {
  if (data == nullptr)
    return data;
  const auto *now = static_cast<const char *>(data);
  const bool is_changed = is_set("take") || is_set("keep");
  if (is_input(data, bytes)) {
    size_t none = 0;
    size_t &number = buffer == nullptr ? none : the.buffers[buffer].input;
    if (number == 0)
      number = ++the.num_inputs;
    note("input", layer.calls, ++the.num_transfers, number);
    if (is_changed) {
      now = the.kept.emplace_back(now, now + bytes).data();
      take_input(number, the.kept.back());
    }
  }
  if (!the.corrupt.empty() && !the.back) {
    std::vector<char> copy(now, now + bytes);
    try_changes(copy.data(), bytes);
    if (layer.is_child)
      now = the.kept.emplace_back(copy).data();
  }
  return now;
}

// ---- Results ------------------------------------------------------------------------------------

static bool looks_at_results() {
  return the.late || is_set("keep") || is_set("result") || is_set("add") || !the.corrupt.empty();
}

// A result is counted, and changed if that is asked for.
static void take_result(void *data, const size_t bytes) {
  note("result", layer.calls, ++the.num_results);
  if (is_set("keep"))
    write_file(setting("keep") + "/out" + std::to_string(the.num_results), data, bytes);
  const std::vector<std::string> add = words_of(setting("add"));
  if (add.size() == 2 && std::stoul(add[0]) == the.num_results)
    *static_cast<float *>(data) += strtof(add[1].c_str(), nullptr);
  if (setting("result") == "last" && bytes >= sizeof(uint32_t)) {
    auto *const last =
        static_cast<char *>(data) + (bytes / sizeof(uint32_t) - 1) * sizeof(uint32_t);
    last[3] = static_cast<char>(last[3] ^ 0x40); // another float, and another whole number
  }
}

// Where the program has waited, what was to come is there now.
static void arrive(const bool has_waited) {
  const std::lock_guard<std::recursive_mutex> lock(layer.mutex);
  if (!has_waited)
    return;
  for (const delivery &each : the.deliveries)
    memcpy(each.to, each.bytes.data(), each.bytes.size());
  the.deliveries.clear();
}

static void deliver(void *to, const std::vector<char> &data) {
  memset(to, 0xFF, data.size());
  the.deliveries.push_back({to, data});
}

// ---- Buffers ------------------------------------------------------------------------------------

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, const size_t bytes, void *host,
                            cl_int *status) {
  std::vector<char> first; // what lies in it at first
  if ((flags & CL_MEM_COPY_HOST_PTR) != 0)
    host = const_cast<void *>(sent(nullptr, host, bytes));
  else if (the.late && host == nullptr)
    first.assign(bytes, '\xFF');
  if (first.size() == bytes) {
    host = first.data();
    flags |= CL_MEM_COPY_HOST_PTR;
  }
  cl_mem buffer = below.clCreateBuffer(context, flags, bytes, host, status);
  if (buffer != nullptr)
    the.buffers[buffer] = {0, (flags & CL_MEM_USE_HOST_PTR) != 0};
  return buffer;
}

// Where a row of a box of two dimensions lies in the host's memory.
static size_t row_of(const size_t number, const size_t *host, const size_t *region,
                     const size_t host_row) {
  return host[0] + (host[1] + number) * (host_row != 0 ? host_row : region[0]);
}

static cl_int write_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                           const size_t offset, const size_t bytes, const void *from,
                           const cl_uint count, const cl_event *list, cl_event *event) {
  const void *const now = sent(buffer, from, bytes);
  const cl_int status =
      below.clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, now, count, list, event);
  arrive(blocking == CL_TRUE);
  return status;
}

// A box of the host's memory: an input like any other, row after row.
static cl_int write_rect(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                         const size_t *to, const size_t *host, const size_t *region,
                         const size_t row, const size_t slice, const size_t host_row,
                         const size_t host_slice, const void *from, const cl_uint count,
                         const cl_event *list, cl_event *event) {
  if (region[2] != 1)
    return below.clEnqueueWriteBufferRect(queue, buffer, blocking, to, host, region, row, slice,
                                          host_row, host_slice, from, count, list, event);
  std::vector<char> &packed = the.kept.emplace_back();
  for (size_t i = 0; i < region[1]; i++) {
    const char *const first = static_cast<const char *>(from) + row_of(i, host, region, host_row);
    packed.insert(packed.end(), first, first + region[0]);
  }
  const void *const now = sent(buffer, packed.data(), packed.size());
  const size_t origin[3] = {0, 0, 0};
  const cl_int status =
      below.clEnqueueWriteBufferRect(queue, buffer, blocking, to, origin, region, row, slice,
                                     region[0], region[0] * region[1], now, count, list, event);
  arrive(blocking == CL_TRUE);
  return status;
}

static cl_int read_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                          const size_t offset, const size_t bytes, void *to, const cl_uint count,
                          const cl_event *list, cl_event *event) {
  const cl_bool now = looks_at_results() ? CL_TRUE : blocking;
  const cl_int status =
      below.clEnqueueReadBuffer(queue, buffer, now, offset, bytes, to, count, list, event);
  if (status != CL_SUCCESS)
    return status;
  if (looks_at_results())
    take_result(to, bytes);
  if (the.back)
    try_changes(to, bytes);
  if (the.late)
    deliver(to, {static_cast<char *>(to), static_cast<char *>(to) + bytes});
  arrive(blocking == CL_TRUE);
  return status;
}

// A box of a buffer: its last row stands for all.
static cl_int read_rect(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                        const size_t *from, const size_t *host, const size_t *region,
                        const size_t row, const size_t slice, const size_t host_row,
                        const size_t host_slice, void *to, const cl_uint count,
                        const cl_event *list, cl_event *event) {
  const bool looks = looks_at_results();
  const cl_int status =
      below.clEnqueueReadBufferRect(queue, buffer, looks ? CL_TRUE : blocking, from, host, region,
                                    row, slice, host_row, host_slice, to, count, list, event);
  if (looks && status == CL_SUCCESS)
    take_result(static_cast<char *>(to) + row_of(region[1] - 1, host, region, host_row), region[0]);
  arrive(blocking == CL_TRUE);
  return status;
}

// ---- Mapped regions -----------------------------------------------------------------------------

static void *map_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                        const cl_map_flags flags, const size_t offset, const size_t bytes,
                        const cl_uint count, const cl_event *list, cl_event *event,
                        cl_int *status) {
  const bool reads = (flags & CL_MAP_READ) != 0;
  const bool result = reads && (the.late || setting("result") == "last");
  const bool at_once = result || the.late || !the.corrupt.empty();
  void *const region = below.clEnqueueMapBuffer(queue, buffer, at_once ? CL_TRUE : blocking, flags,
                                                offset, bytes, count, list, event, status);
  if (region == nullptr)
    return region;
  void *shown = region;
  if (!the.late || the.buffers[buffer].is_the_hosts) {
    if (result)
      take_result(region, bytes);
    if (the.back && reads)
      try_changes(region, bytes);
  } else {
    shown = the.kept.emplace_back(bytes, '\xFF').data();
    if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0) {
      std::vector<char> data(static_cast<char *>(region), static_cast<char *>(region) + bytes);
      if (reads)
        take_result(data.data(), bytes);
      deliver(shown, data);
    }
  }
  the.regions[shown] = {region, bytes, flags};
  arrive(blocking == CL_TRUE);
  return shown;
}

static cl_int unmap(cl_command_queue queue, cl_mem buffer, void *pointer, const cl_uint count,
                    const cl_event *list, cl_event *event) {
  const auto place = the.regions.find(pointer);
  if (place == the.regions.end())
    return below.clEnqueueUnmapMemObject(queue, buffer, pointer, count, list, event);
  const mapped_region region = place->second;
  the.regions.erase(place);
  const bool is_shown = pointer == region.real;
  const bool is_written = (region.flags & ~static_cast<cl_map_flags>(CL_MAP_READ)) != 0;
  // What no kernel is given is the host's own memory, which copies come from: these are changed.
  if (is_written && (the.corrupt.empty() || is_argument(buffer))) {
    const void *const now = sent(buffer, pointer, region.bytes);
    if (now != region.real)
      memcpy(region.real, now, region.bytes);
  }
  if (!is_shown) { // nothing that is to come finds its place any more, and nothing lies there
    for (delivery &each : the.deliveries)
      if (each.to == pointer)
        each.bytes.clear();
    memset(pointer, 0xFF, region.bytes);
  }
  return below.clEnqueueUnmapMemObject(queue, buffer, region.real, count, list, event);
}

// ---- Waiting ------------------------------------------------------------------------------------

static cl_int finish(cl_command_queue queue) {
  const cl_int status = below.clFinish(queue);
  arrive(true);
  return status;
}

static cl_int wait_for(const cl_uint count, const cl_event *list) {
  const cl_int status = below.clWaitForEvents(count, list);
  arrive(status == CL_SUCCESS);
  return status;
}

static cl_int about_event(cl_event event, const cl_event_info what, const size_t room, void *to,
                          size_t *size_ret) {
  const cl_int status = below.clGetEventInfo(event, what, room, to, size_ret);
  const bool asks = what == CL_EVENT_COMMAND_EXECUTION_STATUS && status == CL_SUCCESS;
  arrive(asks && to != nullptr && *static_cast<const cl_int *>(to) == CL_COMPLETE);
  return status;
}

void start_buffers() {
  the.late = number("late") == 1;
  the.corrupt = setting("corrupt");
  the.back = !the.corrupt.empty() && setting("way") == "back";
  the.changes = words_of(setting("changes"));
  below = table;
  table.clCreateBuffer = create_buffer;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueWriteBufferRect = write_rect;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueReadBufferRect = read_rect;
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueUnmapMemObject = unmap;
  table.clFinish = finish;
  table.clWaitForEvents = wait_for;
  table.clGetEventInfo = about_event;
}
