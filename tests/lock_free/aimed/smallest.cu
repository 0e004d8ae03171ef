// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.
// The smallest of these.

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

// found: d01_c03_lean
namespace d01_c03_lean_ {
extern "C" __global__ void d01_c03_lean(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; volatile u n=8; volatile u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } if(!lane) LOOK(f)=1; }
}

// found: d02_c03_global
namespace d02_c03_global_ {
__device__ u f;
extern "C" __global__ void d02_c03_global(u*m,u*out){ u lane=threadIdx.x; volatile u n=8; volatile u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } if(!lane) LOOK(f)=1; }
}

// found: d03_c03_param
namespace d03_c03_param_ {
extern "C" __global__ void d03_c03_param(u*m,u*out){ u lane=threadIdx.x; volatile u n=8; volatile u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(m[0])) n=n+1; } if(!lane) LOOK(m[0])=1; }
}

// found: d04_reg
namespace d04_reg_ {
__device__ u f;
extern "C" __global__ void d04_reg(u*m,u*out){ u lane=threadIdx.x; u n=8; u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } if(!lane) LOOK(f)=1; }
}

// found: d05_reg_shared
namespace d05_reg_shared_ {
extern "C" __global__ void d05_reg_shared(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; u n=8; u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } if(!lane) LOOK(f)=1; }
}

// found: d06_private_limit_shared
namespace d06_private_limit_shared_ {
extern "C" __global__ void d06_private_limit_shared(u*m,u*out){ __shared__ u f,n[32]; u lane=threadIdx.x; LOOK(n[lane])=8; u i=0; while(lane&&i<LOOK(n[lane])){ i=i+1; if(!LOOK(f)) LOOK(n[lane])=i+8; } if(!lane) LOOK(f)=1; }
}

// found: d07_private_both_shared
namespace d07_private_both_shared_ {
extern "C" __global__ void d07_private_both_shared(u*m,u*out){ __shared__ u f,n[32],c[32]; u lane=threadIdx.x; LOOK(n[lane])=8; LOOK(c[lane])=0; while(lane&&LOOK(c[lane])<LOOK(n[lane])){ LOOK(c[lane])=LOOK(c[lane])+1; if(!LOOK(f)) LOOK(n[lane])=LOOK(n[lane])+1; } if(!lane) LOOK(f)=1; }
}

// found: d08_private_both_global
namespace d08_private_both_global_ {
__device__ u f,n[32],c[32];
extern "C" __global__ void d08_private_both_global(u*m,u*out){ u lane=threadIdx.x; LOOK(n[lane])=8; LOOK(c[lane])=0; while(lane&&LOOK(c[lane])<LOOK(n[lane])){ LOOK(c[lane])=LOOK(c[lane])+1; if(!LOOK(f)) LOOK(n[lane])=LOOK(n[lane])+1; } if(!lane) LOOK(f)=1; }
}

// found: d09_limit_param_mem
namespace d09_limit_param_mem_ {
extern "C" __global__ void d09_limit_param_mem(u*m,u*out){ u lane=threadIdx.x; u i=0; while(lane&&i<LOOK(m[lane])+4){ i++; if(!LOOK(m[0])) LOOK(m[lane])=i; } if(!lane) LOOK(m[0])=1; }
}

// found: d10_vol_noif
namespace d10_vol_noif_ {
extern "C" __global__ void d10_vol_noif(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads(); volatile u n=8; volatile u i=0; while(lane&&i<n){ i=i+1; n=n+1-LOOK(f); } if(!lane) LOOK(f)=1; }
}

// found: d11_vol_only_n
namespace d11_vol_only_n_ {
extern "C" __global__ void d11_vol_only_n(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads(); volatile u n=8; u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } if(!lane) LOOK(f)=1; }
}

// found: d12_vol_only_i
namespace d12_vol_only_i_ {
extern "C" __global__ void d12_vol_only_i(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads(); u n=8; volatile u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } if(!lane) LOOK(f)=1; }
}

// found: d13_vol_64
namespace d13_vol_64_ {
extern "C" __global__ void d13_vol_64(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads(); volatile ull n=8; volatile ull i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } if(!lane) LOOK(f)=1; }
}

// found: d14_vol_64_set
namespace d14_vol_64_set_ {
extern "C" __global__ void d14_vol_64_set(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads(); volatile ull n=8; volatile ull i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=i+1; } if(!lane) LOOK(f)=1; }
}

// found: d15_reset_min
namespace d15_reset_min_ {
__device__ u f;
extern "C" __global__ void d15_reset_min(u*m,u*out){ if(threadIdx.x){ u i=2; while(i){ i--; if(!i&&!LOOK(f)) i=2; } } else LOOK(f)=1; }
}

// found: d16_reset_lock_1
namespace d16_reset_lock_1_ {
__device__ u lk;
extern "C" __global__ void d16_reset_lock_1(u*m,u*out){ u t=2; while(t){ t--; if(!t&&atomicCAS(&lk,0,1)) t=2; } m[0]++; atomicExch(&lk,0); }
}

// found: d17_reset_store_lock
namespace d17_reset_store_lock_ {
__device__ u lk;
extern "C" __global__ void d17_reset_store_lock(u*m,u*out){ u t=2; while(t){ t--; if(!t&&atomicExch(&lk,1)) t=2; } m[0]++; atomicExch(&lk,0); }
}

// found: d18_reset_ticket
namespace d18_reset_ticket_ {
__device__ u nxt,srv;
extern "C" __global__ void d18_reset_ticket(u*m,u*out){ u my=atomicAdd(&nxt,1); u t=2; while(t){ t--; if(!t&&LOOK(srv)!=my) t=2; } m[0]++; __threadfence(); LOOK(srv)=my+1; }
}

// found: d19_cas_byte_min
namespace d19_cas_byte_min_ {
__device__ u c,on=1;
extern "C" __global__ void d19_cas_byte_min(u*m,u*out){ if(threadIdx.x){ u o; do{ o=LOOK(c); ((volatile unsigned char*)&c)[1]=(o>>8)+LOOK(on); }while(atomicCAS(&c,o,o)!=o); } else LOOK(on)=0; }
}

// found: d20_cas64_half_min
namespace d20_cas64_half_min_ {
__device__ ull c; __device__ u on=1;
extern "C" __global__ void d20_cas64_half_min(u*m,u*out){ if(threadIdx.x){ ull o; do{ o=LOOK_WIDE(c); ((volatile u*)&c)[1]=(u)(o>>32)+LOOK(on); }while(atomicCAS(&c,o,o+1)!=o); } else LOOK(on)=0; }
}

// found: d21_desc_min
namespace d21_desc_min_ {
__device__ u d=5,v=5;
extern "C" __global__ void d21_desc_min(u*m,u*out){ if(threadIdx.x){ u o; while((o=LOOK(d))) atomicCAS(&d,o,LOOK(v)); } else LOOK(v)=0; }
}

// found: d22_bound_min_G
namespace d22_bound_min_G_ {
__device__ u f;
extern "C" __global__ void d22_bound_min_G(u*m,u*out){ if(threadIdx.x){ u n=8; for(u i=0;i<n;i++) n+=!LOOK(f); } else LOOK(f)=1; }
}

// found: d23_bound_min_G_int
namespace d23_bound_min_G_int_ {
__device__ u f;
extern "C" __global__ void d23_bound_min_G_int(u*m,u*out){ if(threadIdx.x){ int n=8; for(int i=0;i<n;i++) n+=!LOOK(f); } else LOOK(f)=1; }
}

// found: d24_bound_min_G_set
namespace d24_bound_min_G_set_ {
__device__ u f;
extern "C" __global__ void d24_bound_min_G_set(u*m,u*out){ if(threadIdx.x){ u n=8; for(u i=0;i<n;i++) if(!LOOK(f)) n=i+9; } else LOOK(f)=1; }
}

// found: d25_bound_G_down
namespace d25_bound_G_down_ {
__device__ u f;
extern "C" __global__ void d25_bound_G_down(u*m,u*out){ if(threadIdx.x){ int n=-8; for(int i=0;i>n;i--) if(!LOOK(f)) n--; } else LOOK(f)=1; }
}

// found: d26_bound_G_ptr
namespace d26_bound_G_ptr_ {
__device__ u f,a[64];
extern "C" __global__ void d26_bound_G_ptr(u*m,u*out){ if(threadIdx.x){ u*e=a+8; for(u*p=a;p<e;p++) if(!LOOK(f)) e++; } else LOOK(f)=1; }
}

// found: d27_bound_G_L
namespace d27_bound_G_L_ {
__device__ u f;
extern "C" __global__ void d27_bound_G_L(u*m,u*out){ if(threadIdx.x){ ull n=8; for(ull i=0;i<n;i++) if(!LOOK(f)) n++; } else LOOK(f)=1; }
}

// found: m1_limit_own_slot
namespace m1_limit_own_slot_ {
extern "C" __global__ void m1_limit_own_slot(u*m,u*out){ u lane=threadIdx.x; for(u i=0;lane&&i<LOOK(m[lane])+1;i++) if(!LOOK(m[0])) LOOK(m[lane])=i+1; LOOK(m[0])=1; }
}

// found: m2_limit_vol_local
namespace m2_limit_vol_local_ {
__device__ u f;
extern "C" __global__ void m2_limit_vol_local(u*m,u*out){ volatile u n=8; for(u i=0;threadIdx.x&&i<n;i++) if(!LOOK(f)) n=n+1; LOOK(f)=1; }
}

// found: m3_limit_shared_own
namespace m3_limit_shared_own_ {
extern "C" __global__ void m3_limit_shared_own(u*m,u*out){ __shared__ u n[32],f; u l=threadIdx.x; LOOK(n[l])=8; for(u i=0;l&&i<LOOK(n[l]);i++) if(!LOOK(f)) LOOK(n[l])=i+8; LOOK(f)=1; }
}

// found: m4_break_form
namespace m4_break_form_ {
__device__ u f;
extern "C" __global__ void m4_break_form(u*m,u*out){ volatile u n=8; u i=0; for(;;){ if(threadIdx.x==0) break; if(i>=n) break; i++; n=n+1-LOOK(f); } LOOK(f)=1; }
}

// found: m5_limit_lock_2exits
namespace m5_limit_lock_2exits_ {
__device__ u lk;
extern "C" __global__ void m5_limit_lock_2exits(u*m,u*out){ volatile u n=1; for(u i=0;threadIdx.x<40&&i<n;i++) if(atomicExch(&lk,1)) n=n+1; m[0]++; __threadfence(); atomicExch(&lk,0); }
}

// found: m6_limit_lock_done
namespace m6_limit_lock_done_ {
__device__ u lk;
extern "C" __global__ void m6_limit_lock_done(u*m,u*out){ volatile u n=1; u d=out[0]; for(u i=0;d==0&&i<n;i++) if(atomicExch(&lk,1)) n=n+1; m[0]++; __threadfence(); atomicExch(&lk,0); }
}

// found: m7_limit_lock_own_global
namespace m7_limit_lock_own_global_ {
__device__ u lk;
extern "C" __global__ void m7_limit_lock_own_global(u*m,u*out){ u l=threadIdx.x; for(u i=0;l!=m[99]+77&&i<LOOK(m[l+1])+1;i++) if(atomicExch(&lk,1)) LOOK(m[l+1])=i+1; m[0]++; __threadfence(); atomicExch(&lk,0); }
}
