// Commands of several queues in the worst order that is allowed.
//
// A command is kept back when it is enqueued, and each queue keeps its order. It runs when the
// program waits for something; what runs then, and in which order, is up to the setting `order`:
// `late`, nothing but what the wait is for and what this has to wait for itself; `newest`, all that
// may run, the last first, until the wait is over. So where the program orders two commands by
// nothing, the second comes first; and where it does not wait for a result, there is none. A
// command that waits for one of another queue, which was never flushed, may wait for ever: the
// layer says so and ends the program.
#include "layer.h"

#include <functional>
#include <tuple>
#include <utility>

struct command {
  cl_command_queue queue;
  std::vector<size_t> waits_for; // numbers of commands, the predecessor not among them
  std::function<cl_int(cl_event *)> run;
  cl_event given = nullptr; // to the program: a user event, or null
  cl_event real = nullptr;  // once it has run
  bool flushed = false, done = false;
};

struct order_state {
  std::vector<command> commands;
  size_t first_pending = 0; // all before it are done
  bool newest = false;
  std::map<cl_event, size_t> numbers; // by the events that the program has
};
static order_state &the = *new order_state; // NOLINT(cert-err58-cpp): see layer.cpp
static functions below;

// ---- Running ------------------------------------------------------------------------------------

// The commands that this one has to wait for and that have not ended: numbers.
static std::vector<size_t> missing(const size_t number) {
  const command &it = the.commands[number];
  std::vector<size_t> found;
  for (size_t i = number; i-- > the.first_pending && found.empty();)
    if (the.commands[i].queue == it.queue && !the.commands[i].done)
      found.push_back(i); // its predecessor
  for (const size_t other : it.waits_for)
    if (!the.commands[other].done) {
      if (the.commands[other].queue != it.queue && !the.commands[other].flushed)
        give_up("a command waits for one of another queue that was never flushed: clFlush");
      found.push_back(other);
    }
  return found;
}

static void run(const size_t number) {
  command &it = the.commands[number];
  cl_int status = it.run(&it.real);
  if (status == CL_SUCCESS)
    status = below.clFinish(it.queue);
  if (status != CL_SUCCESS)
    give_up("a command failed: " + std::to_string(status));
  it.done = true;
  // This layer's own reference stays: given back here, PoCL 3.1 crashed where the program had
  // released the event before its command ran.
  if (it.given != nullptr)
    below.clSetUserEventStatus(it.given, CL_COMPLETE);
  while (the.first_pending < the.commands.size() && the.commands[the.first_pending].done)
    the.first_pending++;
}

// All that this command needs, and itself, the newest first among those that may run.
static void run_for(const size_t target) {
  while (!the.commands[target].done) {
    std::map<size_t, bool> needed; // may it run?
    std::vector<size_t> todo = {target};
    while (!todo.empty()) {
      const size_t now = todo.back();
      todo.pop_back();
      const std::vector<size_t> before = missing(now);
      needed[now] = before.empty();
      for (const size_t other : before)
        if (needed.count(other) == 0)
          todo.push_back(other);
    }
    if (the.newest) // what nobody waits for as well, if it has been handed over
      for (size_t i = the.first_pending; i < the.commands.size(); i++)
        if (!the.commands[i].done && the.commands[i].flushed && missing(i).empty())
          needed[i] = true;
    size_t next = the.commands.size();
    for (const auto &[number, may] : needed)
      if (may)
        next = number;
    if (next == the.commands.size())
      give_up("commands wait for each other");
    run(next);
  }
}

// All commands of a queue, or, of null, of all queues.
static cl_int flush(cl_command_queue queue) {
  for (size_t i = the.first_pending; i < the.commands.size(); i++)
    if (queue == nullptr || the.commands[i].queue == queue)
      the.commands[i].flushed = true;
  return CL_SUCCESS;
}

static cl_int finish(cl_command_queue queue) {
  flush(queue);
  for (size_t i = the.commands.size(); i-- > the.first_pending;)
    if (queue == nullptr || the.commands[i].queue == queue)
      run_for(i); // nothing happens where it is done
  return CL_SUCCESS;
}

// ---- Enqueuing ----------------------------------------------------------------------------------

static cl_int enqueue(cl_command_queue queue, const bool blocking, const cl_uint count,
                      const cl_event *list, cl_event *event,
                      const std::function<cl_int(cl_event *)> &what) {
  if ((count == 0) != (list == nullptr))
    return CL_INVALID_EVENT_WAIT_LIST;
  command now = {queue, {}, what};
  for (cl_uint i = 0; i < count; i++) {
    const auto place = the.numbers.find(list[i]);
    if (place == the.numbers.end())
      give_up("a wait list with an event that no command gave");
    now.waits_for.push_back(place->second);
  }
  if (event != nullptr) {
    cl_int status;
    now.given = below.clCreateUserEvent(
        asked<cl_context>(below.clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT), &status);
    // The program may release it before its command has run.
    if (status != CL_SUCCESS || below.clRetainEvent(now.given) != CL_SUCCESS)
      give_up("no event can be made");
    *event = now.given;
    the.numbers[now.given] = the.commands.size();
  }
  the.commands.push_back(now);
  if (blocking) {
    flush(queue);
    run_for(the.commands.size() - 1);
  }
  return CL_SUCCESS;
}

// A command whose arguments are all that it needs: it runs later, after what it waits for.
template <auto member> struct deferred;
template <typename... A, cl_int (*functions::*member)(A...)> struct deferred<member> {
  static cl_int call(A... args) {
    std::tuple<A...> all(args...);
    constexpr size_t n = sizeof...(A);
    bool blocking = false;
    if constexpr (std::is_same_v<std::tuple_element_t<2, std::tuple<A...>>, cl_bool>)
      blocking = std::exchange(std::get<2>(all), CL_TRUE) == CL_TRUE;
    return enqueue(std::get<0>(all), blocking, std::exchange(std::get<n - 3>(all), 0U),
                   std::exchange(std::get<n - 2>(all), nullptr), std::get<n - 1>(all),
                   [all](cl_event *its) mutable {
                     std::get<n - 1>(all) = its;
                     return std::apply(below.*member, all);
                   });
  }
};
static cl_int fill_buffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                          const size_t size, const size_t offset, const size_t bytes,
                          const cl_uint count, const cl_event *list, cl_event *event) {
  const std::vector<char> kept(static_cast<const char *>(pattern),
                               static_cast<const char *>(pattern) + size);
  return enqueue(queue, false, count, list, event, [=](cl_event *its) {
    return below.clEnqueueFillBuffer(queue, buffer, kept.data(), kept.size(), offset, bytes, 0,
                                     nullptr, its);
  });
}
static cl_int set_all(cl_kernel kernel, const argument_list &all) {
  cl_int status = CL_SUCCESS;
  for (const auto &[index, it] : all)
    if (status == CL_SUCCESS)
      status =
          below.clSetKernelArg(kernel, index, it.size, it.has_value ? it.value.data() : nullptr);
  return status;
}
static cl_int launch(cl_command_queue queue, cl_kernel kernel, const cl_uint dims,
                     const size_t *offset, const size_t *global, const size_t *local,
                     const cl_uint count, const cl_event *list, cl_event *event) {
  const auto kept = [dims](const size_t *sizes) {
    return sizes == nullptr ? std::vector<size_t>() : std::vector<size_t>(sizes, sizes + dims);
  };
  const auto given = [](const std::vector<size_t> &sizes) {
    return sizes.empty() ? nullptr : sizes.data();
  };
  const std::vector<size_t> offsets = kept(offset), items = kept(global), in_group = kept(local);
  const argument_list now = record_of(kernel).given; // whatever is set afterwards
  return enqueue(queue, false, count, list, event, [=](cl_event *its) {
    const argument_list later = record_of(kernel).given;
    cl_int status = set_all(kernel, now);
    if (status == CL_SUCCESS)
      status = below.clEnqueueNDRangeKernel(queue, kernel, dims, given(offsets), given(items),
                                            given(in_group), 0, nullptr, its);
    set_all(kernel, later);
    return status;
  });
}
// What is mapped has its place at once, and its contents when the command has run.
static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, const cl_bool blocking,
                                    const cl_map_flags flags, const size_t offset,
                                    const size_t bytes, const cl_uint count, const cl_event *list,
                                    cl_event *event, cl_int *status) {
  if (blocking == CL_TRUE)
    finish(queue);
  void *place = below.clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, bytes, 0, nullptr,
                                         nullptr, status);
  if (place != nullptr)
    enqueue(queue, blocking == CL_TRUE, count, list, event, [=](cl_event *its) {
      if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0) // what was written before is lost
        memset(place, 0xFF, bytes);
      return below.clEnqueueMarkerWithWaitList(queue, 0, nullptr, its);
    });
  return place;
}
template <typename... A> static cl_int not_known(A...) {
  give_up("a command that this layer does not know");
}

// ---- What else there is -------------------------------------------------------------------------

static cl_int wait_for(const cl_uint count, const cl_event *list) {
  if (count == 0 || list == nullptr)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    if (the.numbers.count(list[i]) == 0)
      give_up("the program waits for an event that no command gave");
    flush(the.commands[the.numbers[list[i]]].queue);
  }
  for (cl_uint i = 0; i < count; i++)
    run_for(the.numbers[list[i]]);
  return CL_SUCCESS;
}
static cl_int times_of(cl_event event, const cl_profiling_info what, const size_t room, void *to,
                       size_t *size_ret) {
  const command &it = the.commands[the.numbers.at(event)];
  return it.done ? below.clGetEventProfilingInfo(it.real, what, room, to, size_ret)
                 : CL_PROFILING_INFO_NOT_AVAILABLE;
}
static cl_int about_event(cl_event event, const cl_event_info what, const size_t room, void *to,
                          size_t *size_ret) {
  const command &it = the.commands[the.numbers.at(event)];
  if (what == CL_EVENT_COMMAND_QUEUE) // a user event has none
    return give_back(&it.queue, sizeof it.queue, room, to, size_ret);
  return below.clGetEventInfo(it.done ? it.real : event, what, room, to, size_ret);
}
// What a command uses must not go before it has run.
template <auto member, typename T> static cl_int release(T object) {
  finish(nullptr);
  return (below.*member)(object);
}

void start_order() {
  if (!is_set("order"))
    return;
  the.newest = setting("order") == "newest";
  below = table;
  table.clReleaseCommandQueue = release<&functions::clReleaseCommandQueue>;
  table.clReleaseMemObject = release<&functions::clReleaseMemObject>;
  table.clReleaseKernel = release<&functions::clReleaseKernel>;
  table.clEnqueueWriteBuffer = deferred<&functions::clEnqueueWriteBuffer>::call;
  table.clEnqueueReadBuffer = deferred<&functions::clEnqueueReadBuffer>::call;
  table.clEnqueueCopyBuffer = deferred<&functions::clEnqueueCopyBuffer>::call;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueUnmapMemObject = deferred<&functions::clEnqueueUnmapMemObject>::call;
  table.clEnqueueNDRangeKernel = launch;
  table.clEnqueueReadBufferRect = not_known;
  table.clEnqueueWriteBufferRect = not_known;
  table.clEnqueueMarkerWithWaitList = not_known;
  table.clEnqueueBarrierWithWaitList = not_known;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clWaitForEvents = wait_for;
  table.clGetEventProfilingInfo = times_of;
  table.clGetEventInfo = about_event;
}
