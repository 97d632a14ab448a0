// The dot product in Kokkos: a loop that says what may run at the same time, and nothing of
// devices.
#include "../common/compare.h"

#include <Kokkos_Core.hpp>

int main(int argc, char **argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const size_t n = 1000003;
  std::vector<float> numbers_a(n), numbers_b(n);
  fill_whole(numbers_a, 1);
  fill_whole(numbers_b, 2);

  const Kokkos::View<float *> a("a", n), b("b", n); // where the kernels run
  const auto host_a = Kokkos::create_mirror_view(a), host_b = Kokkos::create_mirror_view(b);
  double expected = 0;
  for (size_t i = 0; i < n; i++) {
    host_a(i) = numbers_a[i];
    host_b(i) = numbers_b[i];
    expected += static_cast<double>(numbers_a[i]) * static_cast<double>(numbers_b[i]);
  }
  Kokkos::deep_copy(a, host_a); // nothing, where that is the same memory
  Kokkos::deep_copy(b, host_b);

  double result = NAN;
  Kokkos::parallel_reduce(
      "dot product", n,
      KOKKOS_LAMBDA(const size_t i, double &sum) { sum += static_cast<double>(a(i) * b(i)); },
      result);
  printf("device    %s\n", Kokkos::DefaultExecutionSpace::name());
  return verdict(check_equal(result, expected));
}
