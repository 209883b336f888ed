/* The parts of CUDA and HIP that kernels use. A line "//@ name.h [alias.h ...]" starts a file. */
//@ __rooflint_gpu.h
#ifdef __cplusplus
#ifdef __CUDA__
__attribute__((device)) void __syncthreads();
#endif
extern "C++" {
#if defined(__CUDA__) || defined(__HIP__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
/* HIP sources are often plain C++ to us; the front end reads these back. */
#define __host__ __attribute__((annotate("rooflint host")))
#define __device__ __attribute__((annotate("rooflint device")))
#define __global__ __attribute__((annotate("rooflint global")))
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_CB
#include <new>
/* nvcc sees these names in every file; calls of host functions from device code need both sides. */
#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif
#include <cmath>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <assert.h>
#include <time.h>
#include <algorithm>
#include <utility>
#define __ROOFLINT_LANES(T, name, bytes)                                                           \
  struct name##1 { T x; };                                                                         \
  struct __attribute__((aligned(2 * bytes))) name##2 { T x, y; };                                  \
  struct name##3 { T x, y, z; };                                                                   \
  struct __attribute__((aligned(4 * bytes > 16 ? 16 : 4 * bytes))) name##4 { T x, y, z, w; };      \
  inline name##2 make_##name##2(T __x, T __y) { return {__x, __y}; }                               \
  inline name##3 make_##name##3(T __x, T __y, T __z) { return {__x, __y, __z}; }                   \
  inline name##4 make_##name##4(T __x, T __y, T __z, T __w) { return {__x, __y, __z, __w}; }
__ROOFLINT_LANES(signed char, char, 1)
__ROOFLINT_LANES(unsigned char, uchar, 1)
__ROOFLINT_LANES(short, short, 2)
__ROOFLINT_LANES(unsigned short, ushort, 2)
__ROOFLINT_LANES(int, int, 4)
__ROOFLINT_LANES(unsigned int, uint, 4)
__ROOFLINT_LANES(long, long, 8)
__ROOFLINT_LANES(unsigned long, ulong, 8)
__ROOFLINT_LANES(long long, longlong, 8)
__ROOFLINT_LANES(float, float, 4)
__ROOFLINT_LANES(double, double, 8)
template <class __T, int __n = 1, int __m = 0> struct texture {
  int addressMode[3], filterMode, normalized;
};
template <class __T, int __n, int __m> __T tex1Dfetch(texture<__T, __n, __m>, int);
template <class __T, int __n, int __m> __T tex1D(texture<__T, __n, __m>, float);
template <class __T, int __n, int __m> __T tex2D(texture<__T, __n, __m>, float, float);
struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int __x = 1, unsigned int __y = 1, unsigned int __z = 1) : x(__x), y(__y), z(__z) {}
  constexpr dim3(uint3 __v) : x(__v.x), y(__v.y), z(__v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;
#ifndef __CUDA__
void __syncthreads();
#endif
int __syncthreads_count(int);
int __syncthreads_and(int);
int __syncthreads_or(int);
void __syncwarp(unsigned int = 0xffffffffu);
void __threadfence();
void __threadfence_block();
void __threadfence_system();
template <class __T> __T __ldg(const __T *__p) { return *__p; }
template <class __T> __T atomicAdd(__T *, __T);
template <class __T> __T atomicSub(__T *, __T);
template <class __T> __T atomicExch(__T *, __T);
template <class __T> __T atomicMin(__T *, __T);
template <class __T> __T atomicMax(__T *, __T);
template <class __T> __T atomicAnd(__T *, __T);
template <class __T> __T atomicOr(__T *, __T);
template <class __T> __T atomicXor(__T *, __T);
template <class __T> __T atomicCAS(__T *, __T, __T);
unsigned int atomicAdd(unsigned int *, unsigned int);
unsigned int atomicInc(unsigned int *, unsigned int);
unsigned int atomicDec(unsigned int *, unsigned int);
unsigned long long atomicAdd(unsigned long long *, unsigned long long);
unsigned long long atomicCAS(unsigned long long *, unsigned long long, unsigned long long);
float atomicAdd(float *, float);
double atomicAdd(double *, double);
template <class __T> __T __shfl_sync(unsigned int, __T, int, int = 32);
template <class __T> __T __shfl_up_sync(unsigned int, __T, unsigned int, int = 32);
template <class __T> __T __shfl_down_sync(unsigned int, __T, unsigned int, int = 32);
template <class __T> __T __shfl_xor_sync(unsigned int, __T, int, int = 32);
template <class __T> __T __shfl_down(__T, unsigned int, int = 32);
template <class __T> __T __shfl_xor(__T, int, int = 32);
template <class __T> __T __shfl(__T, int, int = 32);
unsigned int __ballot_sync(unsigned int, int);
unsigned int __activemask();
int __all_sync(unsigned int, int);
int __any_sync(unsigned int, int);
int __popc(unsigned int);
int __clz(int);
int __ffs(int);
int __mul24(int, int);
unsigned int __umul24(unsigned int, unsigned int);
float __log2f(float);
float __log10f(float);
float __expf(float);
float __logf(float);
float __sinf(float);
float __cosf(float);
float __powf(float, float);
float __fdividef(float, float);
float __frcp_rn(float);
float __fsqrt_rn(float);
float __fmaf_rn(float, float, float);
float __int_as_float(int);
int __float_as_int(float);
int __float2int_rn(float);
float __int2float_rn(int);
float rsqrtf(float);
double rsqrt(double);
float rsqrt(float);
float saturate(float);
float __saturatef(float);
#define __ROOFLINT_MINMAX(T)                                                                       \
  inline T min(T __a, T __b) { return __b < __a ? __b : __a; }                                     \
  inline T max(T __a, T __b) { return __a < __b ? __b : __a; }
__ROOFLINT_MINMAX(int)
__ROOFLINT_MINMAX(unsigned int)
__ROOFLINT_MINMAX(long)
__ROOFLINT_MINMAX(unsigned long)
__ROOFLINT_MINMAX(long long)
__ROOFLINT_MINMAX(unsigned long long)
__ROOFLINT_MINMAX(float)
__ROOFLINT_MINMAX(double)
#define __ROOFLINT_MINMAX_OF(A, B, T)                                                              \
  inline T min(A __a, B __b) { return min((T)__a, (T)__b); }                                       \
  inline T max(A __a, B __b) { return max((T)__a, (T)__b); }
__ROOFLINT_MINMAX_OF(int, unsigned int, unsigned int)
__ROOFLINT_MINMAX_OF(unsigned int, int, unsigned int)
__ROOFLINT_MINMAX_OF(float, double, double)
__ROOFLINT_MINMAX_OF(double, float, double)
long long clock64();
/* G: prefix of functions and types */
#define __ROOFLINT_RUNTIME(G)                                                                      \
  enum G##Error_t { G##Success = 0, G##ErrorInvalidValue = 1, G##ErrorMemoryAllocation = 2,        \
                    G##ErrorNotReady = 600, G##ErrorUnknown = 999 };                               \
  typedef G##Error_t G##Error;                                                                     \
  enum G##MemcpyKind { G##MemcpyHostToHost, G##MemcpyHostToDevice, G##MemcpyDeviceToHost,          \
                       G##MemcpyDeviceToDevice, G##MemcpyDefault };                                \
  enum G##FuncCache { G##FuncCachePreferNone, G##FuncCachePreferShared, G##FuncCachePreferL1 };    \
  enum { G##HostMallocNonCoherent = 1, G##HostRegisterDefault = 0, G##HostAllocDefault = 0, G##HostAllocPortable = 1, G##HostAllocMapped = 2,                \
         G##StreamNonBlocking = 1, G##EventDisableTiming = 2, G##MemAttachGlobal = 1 };            \
  typedef struct __rooflint_##G##_stream *G##Stream_t;                                             \
  typedef struct __rooflint_##G##_event *G##Event_t;                                               \
  struct G##DeviceProp {                                                                           \
    char name[256];                                                                                \
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, memPitch, textureAlignment;           \
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;   \
    int major, minor, multiProcessorCount, memoryClockRate, memoryBusWidth, l2CacheSize;           \
    int maxThreadsPerMultiProcessor, managedMemory, concurrentManagedAccess, deviceOverlap;        \
    int canMapHostMemory, integrated, computeMode, ECCEnabled, pciBusID, pciDeviceID;              \
    char gcnArchName[256];                                                                         \
  };                                                                                               \
  typedef G##DeviceProp G##DeviceProp_t;                                                           \
  G##Error_t G##GetDeviceCount(int *);                                                             \
  G##Error_t G##GetDevice(int *);                                                                  \
  G##Error_t G##SetDevice(int);                                                                    \
  G##Error_t G##GetDeviceProperties(G##DeviceProp *, int);                                         \
  G##Error_t G##DriverGetVersion(int *);                                                           \
  G##Error_t G##RuntimeGetVersion(int *);                                                          \
  G##Error_t G##DeviceSynchronize();                                                               \
  G##Error_t G##DeviceReset();                                                                     \
  G##Error_t G##ThreadSynchronize();                                                               \
  G##Error_t G##ThreadExit();                                                                      \
  G##Error_t G##GetLastError();                                                                    \
  G##Error_t G##PeekAtLastError();                                                                 \
  const char *G##GetErrorString(G##Error_t);                                                       \
  const char *G##GetErrorName(G##Error_t);                                                         \
  G##Error_t G##MemGetInfo(size_t *, size_t *);                                                    \
  template <class __T> G##Error_t G##Malloc(__T **, size_t);                                       \
  template <class __T> G##Error_t G##MallocHost(__T **, size_t, unsigned int = 0);                 \
  template <class __T> G##Error_t G##HostMalloc(__T **, size_t, unsigned int = 0);                 \
  template <class __T> G##Error_t G##HostAlloc(__T **, size_t, unsigned int);                      \
  template <class __T> G##Error_t G##MallocManaged(__T **, size_t, unsigned int = 1);              \
  template <class __T> G##Error_t G##MallocPitch(__T **, size_t *, size_t, size_t);                \
  template <class __T> G##Error_t G##HostGetDevicePointer(__T **, void *, unsigned int);           \
  template <class __T> G##Error_t G##MallocAsync(__T **, size_t, G##Stream_t);                     \
  G##Error_t G##FreeAsync(void *, G##Stream_t);                                                    \
  G##Error_t G##Free(void *);                                                                      \
  G##Error_t G##FreeHost(void *);                                                                  \
  G##Error_t G##HostFree(void *);                                                                  \
  G##Error_t G##Memset(void *, int, size_t);                                                       \
  G##Error_t G##MemsetAsync(void *, int, size_t, G##Stream_t = 0);                                 \
  G##Error_t G##Memcpy(void *, const void *, size_t, G##MemcpyKind);                               \
  G##Error_t G##MemcpyAsync(void *, const void *, size_t, G##MemcpyKind, G##Stream_t = 0);         \
  G##Error_t G##Memcpy2D(void *, size_t, const void *, size_t, size_t, size_t, G##MemcpyKind);     \
  template <class __T> G##Error_t G##MemcpyToSymbol(const __T &, const void *, size_t, size_t = 0, \
                                                    G##MemcpyKind = G##MemcpyHostToDevice);        \
  template <class __T> G##Error_t G##MemcpyFromSymbol(void *, const __T &, size_t, size_t = 0,     \
                                                      G##MemcpyKind = G##MemcpyDeviceToHost);      \
  template <class __T> G##Error_t G##FuncSetCacheConfig(__T, G##FuncCache);                        \
  G##Error_t G##MemPrefetchAsync(const void *, size_t, int, G##Stream_t = 0);                      \
  G##Error_t G##StreamCreate(G##Stream_t *);                                                       \
  G##Error_t G##StreamCreateWithFlags(G##Stream_t *, unsigned int);                                \
  G##Error_t G##StreamDestroy(G##Stream_t);                                                        \
  G##Error_t G##StreamSynchronize(G##Stream_t);                                                    \
  G##Error_t G##StreamWaitEvent(G##Stream_t, G##Event_t, unsigned int = 0);                        \
  G##Error_t G##EventCreate(G##Event_t *);                                                         \
  G##Error_t G##EventCreateWithFlags(G##Event_t *, unsigned int);                                  \
  G##Error_t G##EventDestroy(G##Event_t);                                                          \
  G##Error_t G##EventRecord(G##Event_t, G##Stream_t = 0);                                          \
  G##Error_t G##EventSynchronize(G##Event_t);                                                      \
  struct G##ChannelFormatDesc { int x, y, z, w, f; };                                              \
  struct G##Array;                                                                                 \
  typedef G##Array *G##Array_t;                                                                    \
  struct G##Extent { size_t width, height, depth; };                                               \
  enum G##TextureReadMode { G##ReadModeElementType, G##ReadModeNormalizedFloat };                  \
  enum G##TextureFilterMode { G##FilterModePoint, G##FilterModeLinear };                           \
  enum G##TextureAddressMode { G##AddressModeWrap, G##AddressModeClamp, G##AddressModeBorder };    \
  template <class __T> G##ChannelFormatDesc G##CreateChannelDesc();                                \
  template <class __X, class __T> G##Error_t G##BindTexture(size_t *, __X &, const __T *, size_t = ~(size_t)0); \
  template <class __X> G##Error_t G##UnbindTexture(__X &);                                         \
  G##Error_t G##EventElapsedTime(float *, G##Event_t, G##Event_t);
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif
}
#endif
//@ cuda_runtime.h cuda.h cuda_runtime_api.h device_launch_parameters.h device_functions.h vector_types.h builtin_types.h cuda_device_runtime_api.h cutil_inline_runtime.h cutil.h cuda_profiler_api.h
#include <__rooflint_gpu.h>
#ifdef __cplusplus
extern "C++" {
__ROOFLINT_RUNTIME(cuda)
}
unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
unsigned int cudaConfigureCall(dim3, dim3, size_t = 0, void * = 0);
#endif
//@ hip/hip_runtime.h hip/hip_runtime_api.h
#include <__rooflint_gpu.h>
#ifdef __cplusplus
extern "C++" {
__ROOFLINT_RUNTIME(hip)
}
unsigned int __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = 0);
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#ifdef __HIP__
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
#else
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) kernel(__VA_ARGS__)
#endif
#endif
