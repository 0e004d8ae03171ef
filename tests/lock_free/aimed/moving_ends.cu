// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.
// Ends that go on with another counter than the one that is held against them, that are far away until another lane acts, or that were passed.

#define LOOK(x) (*(volatile unsigned *)&(x))
#define LOOK_WIDE(x) (*(volatile unsigned long long *)&(x))
typedef unsigned u;
typedef unsigned long long ull;

// The first lane frees the others behind their loop, or on the other way of the branch.
#define COMMA ,
#define BEHIND(name, waits, frees) \
    extern "C" __global__ void name(u *m, u *out) { \
        u lane = threadIdx.x, r = 0; \
        if (lane) { waits } \
        out[lane] = r; \
        if (!lane) { frees } \
    }
#define ELSE(name, waits, frees) \
    extern "C" __global__ void name(u *m, u *out) { \
        u lane = threadIdx.x, r = 0; \
        if (lane) { waits } else { frees } \
        out[lane] = r; \
    }

// found: n01_pace
namespace n01_pace_ {
__device__ u flag;
BEHIND(n01_pace, u i=0 COMMA e=10 COMMA w=0; while(i<e){ i++; w++; if(!LOOK(flag)) e=w+10; } r=i; , LOOK(flag)=1; )
}

// found: n02_watchdog
namespace n02_watchdog_ {
__device__ u flag;
BEHIND(n02_watchdog, u i=0 COMMA e=100 COMMA beat=0; for(;;){ u v=LOOK(flag); if(v) break; if(i>=e) __trap(); i++; beat+=v+1; e=beat+100; } r=i; , LOOK(flag)=1; )
}

// found: n03_middle
namespace n03_middle_ {
__device__ u flag;
BEHIND(n03_middle, u i=0 COMMA e=8 COMMA w=3; for(;;){ w+=2; if(i>=e) break; i++; if(!LOOK(flag)) e=w; atomicOr(&m[lane] COMMA w); } r=i; , LOOK(flag)=1; )
}

// found: n04_late
namespace n04_late_ {
__device__ u flag;
BEHIND(n04_late, u i=0 COMMA e=13 COMMA f=13 COMMA g=13; for(;;){ if(i>=e) break; i++; e=f; f=g; if(!LOOK(flag)) g=i+13; atomicOr(&m[lane] COMMA g); } r=i; , LOOK(flag)=1; )
}

// found: n05_down
namespace n05_down_ {
__device__ u flag;
BEHIND(n05_down, int i=0 COMMA e=-10 COMMA w=0; while(i>e){ i--; w--; if(!LOOK(flag)) e=w-10; atomicOr(&m[lane] COMMA 1u); } r=(u)i; , LOOK(flag)=1; )
}

// found: n06_wide
namespace n06_wide_ {
__device__ u flag;
BEHIND(n06_wide, ull i=0 COMMA e=10 COMMA w=7; while(i<e){ i++; w+=3; if(!LOOK(flag)) e=w; atomicOr(&m[lane] COMMA 1u); } r=(u)i; , LOOK(flag)=1; )
}

// found: n07_float
namespace n07_float_ {
__device__ u flag;
BEHIND(n07_float, u i=0 COMMA e=10; float w=0; while(i<e){ i++; w+=1.0f; if(!LOOK(flag)) e=(u)w+10; atomicOr(&m[lane] COMMA 1u); } r=i; , LOOK(flag)=1; )
}

// found: n08_shuffled
namespace n08_shuffled_ {
__device__ u flag;
BEHIND(n08_shuffled, u i=0 COMMA e=10 COMMA w=0; while(i<e){ i++; w++; u n=__shfl_sync(__activemask() COMMA w COMMA lane); if(!LOOK(flag)) e=n+10; } r=i; , LOOK(flag)=1; )
}

// found: n09_memory
namespace n09_memory_ {
__device__ u flag; __device__ u pace[32];
BEHIND(n09_memory, u i=0 COMMA e=10; for(;;){ if(i>=e) break; i++; u w=atomicAdd(&pace[lane] COMMA 1); if(!LOOK(flag)) e=w+10; } r=i; , LOOK(flag)=1; )
}

// found: n10_popcount
namespace n10_popcount_ {
__device__ u flag;
BEHIND(n10_popcount, u i=0 COMMA e=10 COMMA w=1; for(;;){ if(i>=e) break; i++; w=w*3+1; if(!LOOK(flag)) e=i+__popc(w)+1; atomicOr(&m[lane] COMMA w); } r=i; , LOOK(flag)=1; )
}

// found: n11_patience
namespace n11_patience_ {
__device__ u lock;
extern "C" __global__ void n11_patience(u *m, u *out) {
    u tries = 0, e = 16, w = 0, got = 0;
    for (;;) {
        if (tries >= e) break;
        tries++;
        if (atomicCAS(&lock, 0, 1) == 0) { got = 1; break; }
        w++;
        e = w + 16;
        atomicOr(&m[threadIdx.x], w);
    }
    out[threadIdx.x] = got;
    if (got) { m[40] += 1; __threadfence(); atomicExch(&lock, 0); }
}
}

// found: n12_lock
namespace n12_lock_ {
__device__ u lock;
extern "C" __global__ void n12_lock(u *m, u *out) {
    u i = 0, e;
    do { i++; e = atomicCAS(&lock, 0, 1) ? 100000000u : 0u; } while (i < e);
    m[40] += 1;
    __threadfence();
    atomicExch(&lock, 0);
    out[threadIdx.x] = 1;
}
}

// found: n13_ticket
namespace n13_ticket_ {
__device__ u serving, next;
extern "C" __global__ void n13_ticket(u *m, u *out) {
    u mine = atomicAdd(&next, 1), i = 0, e;
    do { i++; e = atomicAdd(&serving, 0) == mine ? 0u : ~0u; } while (i < e);
    m[40] += 1;
    __threadfence();
    atomicAdd(&serving, 1);
    out[threadIdx.x] = 1;
}
}

// found: n14_huge
namespace n14_huge_ {
__device__ u flag;
BEHIND(n14_huge, u i=0 COMMA e; do { i++; e=LOOK(flag)?0:~0u; } while(i<e); r=1; , LOOK(flag)=1; )
}

// found: n15_huge_above
namespace n15_huge_above_ {
__device__ u flag;
BEHIND(n15_huge_above, u i=0 COMMA e=10; for(;;){ if(i>=e) break; i++; if(LOOK(flag)) e=0; else { e=~0u; atomicOr(&m[lane] COMMA 1u); } } r=1; , LOOK(flag)=1; )
}

// found: n16_huge_wide
namespace n16_huge_wide_ {
__device__ u flag;
BEHIND(n16_huge_wide, ull i=0 COMMA e; do { i++; e=LOOK(flag)?0ull:~0ull; } while(i<e); r=1; , LOOK(flag)=1; )
}

// found: n17_below
namespace n17_below_ {
__device__ u flag;
BEHIND(n17_below, int i=0 COMMA e; do { i--; e=LOOK(flag)?100:-0x7fffffff; } while(i>e); r=1; , LOOK(flag)=1; )
}

// found: n18_passed
namespace n18_passed_ {
__device__ u flag;
BEHIND(n18_passed, u i=100 COMMA e; do { i++; e=LOOK(flag)?i:50; } while(i!=e); r=1; , LOOK(flag)=1; )
}

// found: n19_mode
namespace n19_mode_ {
__device__ u flag;
BEHIND(n19_mode, u i=0 COMMA e=10 COMMA mode=0; for(;;){ u f=LOOK(flag); if(i>=e) break; i++; if(mode==0){ e=0x7fffffff; mode=1; atomicOr(&m[lane] COMMA 1u); } else if(f){ e=0; atomicOr(&m[lane] COMMA 1u); } } r=1; , LOOK(flag)=1; )
}

// found: n20_smallest
namespace n20_smallest_ {
__device__ u flag;
BEHIND(n20_smallest, u i=0 COMMA e=~0u; do { i++; e=LOOK(flag)?min(e COMMA 5u):e; } while(i<e); r=1; , LOOK(flag)=1; )
}

// found: n21_chain
namespace n21_chain_ {
__device__ u turn[33];
BEHIND(n21_chain, u i=0 COMMA e; do { i++; e=LOOK(turn[lane-1])?0u:~0u; } while(i<e); LOOK(turn[lane])=1; r=1; , LOOK(turn[0])=1; )
}
