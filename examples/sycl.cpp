// The dot product in SYCL: host and kernel in one C++ file, and the runtime copies and adds.
#include "../common/compare.h"

#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue; // a device of the runtime's choice
  printf("device    %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
  const size_t n = 1000003;
  std::vector<float> a(n), b(n);
  fill_whole(a, 1);
  fill_whole(b, 2);
  float result = NAN;
  {
    sycl::buffer a_buffer(a), b_buffer(b);
    sycl::buffer<float> sum_buffer(&result, 1);
    queue.submit([&](sycl::handler &handler) {
      const sycl::accessor in_a(a_buffer, handler, sycl::read_only);
      const sycl::accessor in_b(b_buffer, handler, sycl::read_only);
      const auto sum = sycl::reduction(sum_buffer, handler, sycl::plus<float>(),
                                       sycl::property::reduction::initialize_to_identity{});
      handler.parallel_for(sycl::range<1>(n), sum,
                           [=](const sycl::id<1> i, auto &total) { total += in_a[i] * in_b[i]; });
    });
  } // the buffers end here: this waits, and brings the sum back
  double expected = 0;
  for (size_t i = 0; i < n; i++)
    expected += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return verdict(check_equal(static_cast<double>(result), expected));
}
