"""Whole programs, as people write them, parse without one complaint against our own headers."""

import re
from collections.abc import Iterator

from clang import cindex
from clang.cindex import CursorKind
from rooflint.frontend.parse.shims import SHIM_ROOT, Language, shim_arguments, shim_files

INDEX = cindex.Index.create()


def parse(language: Language, code: str, *arguments: str) -> cindex.TranslationUnit:
    main = "/main.c" if language == "c" else "/main.cpp"
    return INDEX.parse(
        main,
        args=[*arguments, *shim_arguments(language), "-D_OPENMP=202011"],
        unsaved_files=[(main, code), *shim_files(language)],
        options=0,
    )


def complaints(unit: cindex.TranslationUnit) -> list[str]:
    return [str(diagnostic) for diagnostic in unit.diagnostics]


def calls(unit: cindex.TranslationUnit) -> Iterator[cindex.Cursor]:
    """Calls in the main file, in its order."""
    for cursor in unit.cursor.get_children():
        if cursor.location.file and cursor.location.file.name == unit.spelling:
            for inside in cursor.walk_preorder():
                if inside.kind == CursorKind.CALL_EXPR:
                    yield inside


def test_everyday_cpp() -> None:
    code = """
    #include <chrono>
    #include <fstream>
    #include <functional>
    #include <iomanip>
    #include <iostream>
    #include <memory>
    #include <random>
    #include <sstream>
    #include <thread>
    struct P { int n; };
    std::ostream &operator<<(std::ostream &out, const P &p) { return out << p.n; }
    template <class T> std::ostream &operator<<(std::ostream &out, const std::pair<T, T> &p);
    int main(int argc, char **argv) {
      using Clock = std::chrono::high_resolution_clock;
      auto start = Clock::now();
      auto data = std::make_unique<double[]>(100);
      std::shared_ptr<P> p = std::make_shared<P>();
      std::mt19937_64 generator(42);
      std::uniform_real_distribution<double> uniform(0.0, 1.0);
      for (int i = 0; i < 100; ++i) data[i] = uniform(generator) + p->n;
      std::function<double(int)> f = [&](int i) { return data[i]; };
      std::sort(&data[0], &data[100], [](double a, double b) { return a > b; });
      std::thread worker([&] { data[0] = 1; });
      worker.join();
      std::chrono::duration<double> elapsed = Clock::now() - start;
      auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
      std::ostringstream text;
      text << std::setw(8) << std::fixed << f(3) << P{2} << std::make_pair(1, 2) << '\\n';
      std::string line = "took " + std::to_string(elapsed.count()) + " s";
      std::cout << line << text.str() << ms << std::endl;
      std::ofstream(argv[1]) << line.substr(0, 4).c_str();
      if (argc < 2) { std::cerr << "usage\\n"; return EXIT_FAILURE; }
    }
    """
    for standard in ("gnu++14", "gnu++17", "gnu++20", "gnu++23"):
        assert complaints(parse("c++", "#include <algorithm>\n" + code, f"-std={standard}")) == []


def test_everyday_c() -> None:
    code = """
    #define _GNU_SOURCE
    #include <assert.h>
    #include <errno.h>
    #include <malloc.h>
    #include <omp.h>
    #include <sched.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/resource.h>
    #include <sys/time.h>
    #include <unistd.h>
    #include <stdbool.h>
    static double seconds(void) {
      struct timeval now;
      struct rusage usage;
      if (gettimeofday(&now, NULL) != 0) { fprintf(stderr, "%s\\n", strerror(errno)); exit(1); }
      getrusage(RUSAGE_SELF, &usage);
      return now.tv_sec + now.tv_usec * 1.0e-6;
    }
    int main(void) {
      double *a = memalign(64, 800), *b;
      struct sched_param priority = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
      bool done = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
      if (posix_memalign((void **)&b, 64, 800)) return -1;
      double start = seconds();
    #pragma omp parallel for
      for (int i = 0; i < 100; i++) { assert(i < 100); a[i] = b[i] + omp_get_thread_num(); }
      printf("%f %d\\n", seconds() - start, done);
      free(a);
    }
    """
    unit = parse("c", code, "-std=gnu11")
    assert complaints(unit) == []
    assert "__assert_fail" not in {call.spelling for call in calls(unit)}


def test_vector_intrinsics_and_unknown_values() -> None:
    code = """
    #include <immintrin.h>
    double f(const double *a, double *b, int n) {
      __m256d sum = _mm256_setzero_pd();
      for (int i = 0; i < n; i += 4) {
        sum = _mm256_fmadd_pd(_mm256_loadu_pd(a + i), _mm256_set1_pd(2.0), sum);
        _mm256_storeu_pd(b + i, sum * sum);
        _mm_prefetch(b + i + 64, _MM_HINT_T0);
      }
      return sum[0] + _mm512_reduce_add_pd(_mm512_loadu_pd(b)) + _mm_cvtsd_f64(_mm_set_sd(1.0));
    }
    """
    for language in ("c", "c++"):
        unit = parse(language, code)
        assert complaints(unit) == []
        sizes = {call.spelling: call.type.get_size() for call in calls(unit)}
        assert sizes["_mm256_fmadd_pd"] == 32
        assert sizes["_mm512_loadu_pd"] == 64


def test_headers_inside_extern_c() -> None:
    code = """
    extern "C" {
    #include <math.h>
    #include <stdlib.h>
    #include <vector>
    }
    std::vector<double> v;
    """
    assert complaints(parse("c++", code)) == []


def test_cuda() -> None:
    code = """
    #include <cmath>
    __constant__ double c[4];
    __global__ void scale(double *a, int n) {
      __shared__ double tile[256];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      tile[threadIdx.x] = sqrt(a[i]);
      __syncthreads();
      if (i < n) atomicAdd(&a[i], tile[threadIdx.x] * max(1.0, c[0]));
    }
    int main() {
      double *a;
      cudaMalloc(&a, 800);
      scale<<<dim3(1), 256, 0, 0>>>(a, 100);
      for (int i = 0; i < 3; ++i) cudaDeviceSynchronize();
      return cudaGetLastError() != cudaSuccess;
    }
    """
    arguments = (
        "-x",
        "cuda",
        "-nocudainc",
        "-nocudalib",
        "--cuda-host-only",
        "-Wno-unknown-cuda-version",
    )
    unit = parse("c++", code, *arguments, "-include", f"{SHIM_ROOT}/c/cuda_runtime.h")
    assert complaints(unit) == []


def test_loop_libraries() -> None:
    code = """
    #include <Kokkos_Core.hpp>
    #include <RAJA/RAJA.hpp>
    #include <tbb/parallel_for.h>
    void f(Kokkos::View<double **> a, Kokkos::View<const double *> x, double *y, int n) {
      double sum = 0;
      Kokkos::parallel_for("fill", n, KOKKOS_LAMBDA(const int i) { a(i, 0) = x(i); });
      Kokkos::parallel_reduce(Kokkos::RangePolicy<>(0, n),
                              KOKKOS_LAMBDA(const int i, double &s) { s += x(i); }, sum);
      RAJA::forall<RAJA::seq_exec>(RAJA::RangeSegment(0, n), [=](int i) { y[i] = 0; });
      tbb::parallel_for(tbb::blocked_range<int>(0, n), [=](const tbb::blocked_range<int> &r) {
        for (int i = r.begin(); i < r.end(); ++i) y[i] = 1;
      });
    }
    """
    unit = parse("c++", code, "-std=gnu++17")
    assert complaints(unit) == []
    lambdas = [c for c in unit.cursor.walk_preorder() if c.kind == CursorKind.LAMBDA_EXPR]
    assert len(lambdas) == 4
    indexing = {(c.spelling, c.type.spelling) for c in calls(unit) if c.spelling == "operator()"}
    assert any(re.search(r"double|value_type", kind) for _, kind in indexing)
