// Kernels in OpenCL C on the CPU by PoCL. `opencl KERNEL SIZE RUNS THREADS` does what the native kernels do, with the same buffers; `opencl version` writes what
// the platform says of itself. Ends with 4 where there is no PoCL.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string>
#include "harness.h"

static const char *source = R"(
kernel void saxpy(float a, global const float *x, global float *y, int n)
{
    int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}

kernel void nbody(global const float4 *bodies, global float4 *forces, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float4 me = bodies[i];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; ++j) {
        float4 other = bodies[j];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float scale = other.w * inverse * inverse * inverse;
        fx += dx * scale;
        fy += dy * scale;
        fz += dz * scale;
    }
    forces[i] = (float4)(fx, fy, fz, me.w);
}

kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    local float ta[16][16], tb[16][16];
    int column = get_local_id(0), row = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        ta[row][column] = a[y * n + tile + column];
        tb[row][column] = b[(tile + row) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) sum += ta[row][k] * tb[k][column];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

// OpenCL gives nothing of lockstep, so that all levels of the tree have barriers.
kernel void reduction(global const int *in, global int *out, uint count)
{
    local int sums[256];
    uint thread = get_local_id(0);
    int sum = 0;
    for (uint i = get_group_id(0) * 512 + thread; i < count; i += 512 * get_num_groups(0)) {
        sum += in[i];
        if (i + 256 < count) sum += in[i + 256];
    }
    sums[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = 128; width > 0; width >>= 1) {
        if (thread < width) sums[thread] += sums[thread + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0) out[get_group_id(0)] = sums[0];
}
)";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    std::fprintf(stderr, "%s: OpenCL error %d\n", what, status);
    std::exit(3);
}

static std::string text_of(cl_platform_id platform, cl_platform_info what)
{
    char text[512] = "";
    clGetPlatformInfo(platform, what, sizeof text - 1, text, nullptr);
    return text;
}

// PoCL, or null.
static cl_platform_id find_pocl()
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return nullptr;
    for (cl_uint i = 0; i < std::min(count, 16u); ++i)
        if (text_of(platforms[i], CL_PLATFORM_NAME) == "Portable Computing Language") return platforms[i];
    return nullptr;
}

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_mem buffer(size_t bytes)
{
    cl_int status;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    check(status, "clCreateBuffer");
    return made;
}

template <class T> static void write(cl_mem to, const std::vector<T> &values)
{
    check(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, values.size() * sizeof(T), values.data(), 0, nullptr, nullptr), "clEnqueueWriteBuffer");
}

template <class T> static std::vector<T> read(cl_mem from, size_t count)
{
    std::vector<T> values(count);
    check(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");
    return values;
}

template <class... Arguments> static cl_kernel prepare(const char *name, const Arguments &...arguments)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, name);
    cl_uint index = 0;
    (check(clSetKernelArg(kernel, index++, sizeof arguments, &arguments), "clSetKernelArg"), ...);
    return kernel;
}

static void launch(cl_kernel kernel, std::vector<size_t> groups, std::vector<size_t> group)
{
    for (size_t i = 0; i < groups.size(); ++i) groups[i] *= group[i];
    cl_uint dimensions = cl_uint(groups.size());
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr, groups.data(), group.data(), 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
}

// One run that is not timed, because PoCL compiles a kernel for the shape of its first launch; then the best of some.
template <class Reset, class Run> static void timed(int runs, Reset reset, Run run)
{
    auto wait = [&] {
        run();
        check(clFinish(queue), "clFinish");
    };
    reset();
    wait();
    best(runs, reset, wait);
}

int main(int count, char **arguments)
{
    cl_platform_id platform = find_pocl();
    if (!platform) return 4;
    if (count == 2 && !std::strcmp(arguments[1], "version")) {
        std::string version = text_of(platform, CL_PLATFORM_VERSION);
        return std::puts(version.c_str()) < 0 ? 3 : 0;
    }
    if (count != 5) return 2;
    cl_int size = std::atoi(arguments[2]);
    int runs = std::atoi(arguments[3]);
    // Read by PoCL, an old and a new one, when it looks for devices.
    setenv("POCL_MAX_PTHREAD_COUNT", arguments[4], 1);
    setenv("POCL_CPU_MAX_CU_COUNT", arguments[4], 1);
    cl_device_id device;
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int status;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    const size_t n = size_t(size);
    const std::string name = arguments[1];
    if (name == "saxpy") {
        std::vector<float> x = take<float>(), y = take<float>();
        cl_mem of_x = buffer(4 * n), of_y = buffer(4 * n);
        write(of_x, x);
        cl_kernel kernel = prepare("saxpy", 1.5f, of_x, of_y, size);
        timed(runs, [&] { write(of_y, y); }, [&] { launch(kernel, {(n + 255) / 256}, {256}); });
        give(read<float>(of_y, n));
    } else if (name == "nbody") {
        std::vector<float> bodies = take<float>();
        cl_mem in = buffer(16 * n), out = buffer(16 * n);
        write(in, bodies);
        cl_kernel kernel = prepare("nbody", in, out, size);
        timed(runs, [] {}, [&] { launch(kernel, {(n + 127) / 128}, {128}); });
        give(read<float>(out, 4 * n));
    } else if (name == "matmul") {
        std::vector<float> a = take<float>(), b = take<float>();
        cl_mem of_a = buffer(4 * n * n), of_b = buffer(4 * n * n), of_c = buffer(4 * n * n);
        write(of_a, a);
        write(of_b, b);
        cl_kernel kernel = prepare("matmul", of_a, of_b, of_c, size);
        timed(runs, [] {}, [&] { launch(kernel, {n / 16, n / 16}, {16, 16}); });
        give(read<float>(of_c, n * n));
    } else if (name == "reduction") {
        std::vector<int> numbers = take<int>();
        size_t groups = std::min<size_t>(256, (n + 511) / 512);
        cl_mem in = buffer(4 * n), parts = buffer(4 * groups), sum = buffer(4);
        write(in, numbers);
        cl_kernel first = prepare("reduction", in, parts, cl_uint(n)), second = prepare("reduction", parts, sum, cl_uint(groups));
        timed(runs, [] {}, [&] { launch(first, {groups}, {256}); launch(second, {1}, {256}); });
        give(read<int>(sum, 1));
    } else
        return 2;
    return std::fflush(stdout) ? 3 : 0;
}
