// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.
// Limits that go on with what is counted, counters that begin anew at their end, and words of which the thread itself changes a part.

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

// found: c01_vol_bound_moves
namespace c01_vol_bound_moves_ {
__device__ u flag;
BEHIND(c01_vol_bound_moves, volatile u n=8; for(volatile u i=0;i<n;i=i+1){ n=n+1-LOOK(flag); } r=1; , LOOK(flag)=1; )
}

// found: c02_vol_bound_moves_if
namespace c02_vol_bound_moves_if_ {
__device__ u flag;
BEHIND(c02_vol_bound_moves_if, volatile u n=8; volatile u i=0; while(i<n){ i=i+1; if(!LOOK(flag)) n=n+1; } r=1; , LOOK(flag)=1; )
}

// found: c03_vol_bound_shared
namespace c03_vol_bound_shared_ {
extern "C" __global__ void c03_vol_bound_shared(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads(); volatile u n=8; volatile u i=0; while(lane&&i<n){ i=i+1; if(!LOOK(f)) n=n+1; } out[lane]=1; if(!lane) LOOK(f)=1; }
}

// found: c04_vol_bound64
namespace c04_vol_bound64_ {
__device__ ull flag;
BEHIND(c04_vol_bound64, volatile ull n=8; volatile ull i=0; while(i<n){ i=i+1; if(!LOOK_WIDE(flag)) n=i+8; } r=1; , LOOK_WIDE(flag)=1; )
}

// found: c05_vol_counter_reset
namespace c05_vol_counter_reset_ {
__device__ u flag;
BEHIND(c05_vol_counter_reset, volatile u i=0; while(i<10){ i=i+1; if(!LOOK(flag)) i=0; } r=1; , LOOK(flag)=1; )
}

// found: c06_vol_idx_plus_flag
namespace c06_vol_idx_plus_flag_ {
__device__ u flag;
BEHIND(c06_vol_idx_plus_flag, volatile u i=0; while(i<10){ i=i+LOOK(flag); } r=1; , LOOK(flag)=1; )
}

// found: c07_vol_bound_reset_to_i
namespace c07_vol_bound_reset_to_i_ {
__device__ u flag;
BEHIND(c07_vol_bound_reset_to_i, volatile u i=0; volatile u n=8; while(i<n){ i=i+1; n=LOOK(flag)?0:i+2; } r=1; , LOOK(flag)=1; )
}

// found: c08_vol_max_bound
namespace c08_vol_max_bound_ {
__device__ u flag;
BEHIND(c08_vol_max_bound, volatile u i=0; volatile u n=8; while(i<n){ i=i+1; if(!LOOK(flag)) n=max((u)n,i+1); } r=1; , LOOK(flag)=1; )
}

// found: c09_arr_state
namespace c09_arr_state_ {
__device__ u flag;
BEHIND(c09_arr_state, u a[2]; a[0]=0; a[1]=8; while(a[lane&0]<a[1]){ a[0]++; a[(lane&0)+1]+=1-LOOK(flag); } r=1; , LOOK(flag)=1; )
}

// found: c10_arr_dyn
namespace c10_arr_dyn_ {
__device__ u flag,one=1;
BEHIND(c10_arr_dyn, u a[4]={0 COMMA 8 COMMA 0 COMMA 0}; u o=LOOK(one)&3; while(a[o-1]<a[o]){ a[o-1]++; if(!LOOK(flag)) a[o]++; } r=1; , LOOK(flag)=1; )
}

// found: c11_down_up
namespace c11_down_up_ {
__device__ u flag;
BEHIND(c11_down_up, volatile int n=-8; volatile int i=0; while(i>n){ i=i-1; if(!LOOK(flag)) n=n-1; } r=1; , LOOK(flag)=1; )
}

// found: c12_signed_bound
namespace c12_signed_bound_ {
__device__ u flag;
BEHIND(c12_signed_bound, volatile int n=8; for(volatile int i=0;i<n;i=i+1){ if(!LOOK(flag)) n=n+1; } r=1; , LOOK(flag)=1; )
}

// found: c13_ref_fn
namespace c13_ref_fn_ {
__device__ u flag;
__device__ __noinline__ void bump(u*n){ if(!LOOK(flag)) *n+=1; }
BEHIND(c13_ref_fn, u n=8; for(u i=0;i<n;i++) bump(&n); r=1; , LOOK(flag)=1; )
}

// found: c14_ref_fn_i
namespace c14_ref_fn_i_ {
__device__ u flag;
__device__ __noinline__ void bump(u*i){ if(!LOOK(flag)) *i-=1; }
BEHIND(c14_ref_fn_i, u n=8; for(u i=0;i<n;i++) bump(&i); r=1; , LOOK(flag)=1; )
}

// found: c15_ref_struct
namespace c15_ref_struct_ {
__device__ u flag;
struct S{u i,n;}; __device__ __noinline__ bool more(S*s){ s->i++; s->n+=LOOK(flag)?0:1; return s->i<s->n; }
BEHIND(c15_ref_struct, S s={0 COMMA 8}; while(more(&s)); r=1; , LOOK(flag)=1; )
}

// found: c16_frame_reg_bound
namespace c16_frame_reg_bound_ {
__device__ u flag;
BEHIND(c16_frame_reg_bound, u n=8; u i=0; while(i<n){ i++; n+=LOOK(flag)?0:1; } r=1; , LOOK(flag)=1; )
}

// found: c18_own_limit_private
namespace c18_own_limit_private_ {
__device__ u flag,lim[32];
BEHIND(c18_own_limit_private, for(u i=0;i<LOOK(lim[lane])+4;i++){ if(!LOOK(flag)) LOOK(lim[lane])=i; } r=1; , LOOK(flag)=1; )
}

// found: c19_own_limit_shared
namespace c19_own_limit_shared_ {
extern "C" __global__ void c19_own_limit_shared(u*m,u*out){ __shared__ u f,lim[32]; u lane=threadIdx.x; if(!lane) f=0; lim[lane]=8; __syncthreads(); if(lane) for(u i=0;i<LOOK(lim[lane]);i++){ if(!LOOK(f)) LOOK(lim[lane])=i+4; } out[lane]=1; if(!lane) LOOK(f)=1; }
}

// found: c20_reset_alternate
namespace c20_reset_alternate_ {
__device__ u flag;
BEHIND(c20_reset_alternate, u i=0; u j=0; while(i<4){ j++; if(j==3){ j=0; if(LOOK(flag)) i++; } } r=1; , LOOK(flag)=1; )
}

// found: c21_reset_two_level
namespace c21_reset_two_level_ {
__device__ u flag;
BEHIND(c21_reset_two_level, u i=0; u j=0; while(i<4){ j++; if(j==3){ j=0; i++; if(i==4&&!LOOK(flag)) i=0; } } r=1; , LOOK(flag)=1; )
}

// found: c22_reset_ternary_dec
namespace c22_reset_ternary_dec_ {
__device__ u flag;
BEHIND(c22_reset_ternary_dec, u i=8; do{ i = i>1 ? i-1 : (LOOK(flag)?0:8); }while(i); r=1; , LOOK(flag)=1; )
}

// found: c23_reset_sh
namespace c23_reset_sh_ {
__device__ u flag;
BEHIND(c23_reset_sh, u i=1; while(i<256){ i<<=1; if(i==256&&!LOOK(flag)) i=1; } r=1; , LOOK(flag)=1; )
}

// found: c24_reset_shared_flag
namespace c24_reset_shared_flag_ {
extern "C" __global__ void c24_reset_shared_flag(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads(); if(lane){ u t=0; while(t<5){ t++; if(t==5&&LOOK(f)==0) t=0; } } out[lane]=1; if(!lane) LOOK(f)=1; }
}

// found: c25_reset_atomic_flag
namespace c25_reset_atomic_flag_ {
__device__ u flag;
BEHIND(c25_reset_atomic_flag, u t=0; while(t<5){ t++; if(t==5&&atomicAdd(&flag,0)==0) t=0; } r=1; , atomicExch(&flag,1); )
}

// found: c26_reset_cas_claim
namespace c26_reset_cas_claim_ {
__device__ u flag=1;
BEHIND(c26_reset_cas_claim, u t=0; while(t<5){ t++; if(t==5){ if(atomicCAS(&flag,0,1)!=0) t=0; else atomicExch(&flag,0); } } r=1; , atomicExch(&flag,0); )
}

// found: c27_reset_noinline
namespace c27_reset_noinline_ {
__device__ u flag;
__device__ __noinline__ bool up(){ return LOOK(flag)!=0; }
BEHIND(c27_reset_noinline, u t=0; while(t<5){ t++; if(t==5&&!up()) t=0; } r=1; , LOOK(flag)=1; )
}

// found: c28_reset_ptr_walk
namespace c28_reset_ptr_walk_ {
__device__ u a[8],flag;
BEHIND(c28_reset_ptr_walk, u*p=a; while(p<a+8){ p++; if(p>=a+8&&!LOOK(flag)) p=a; } r=1; , LOOK(flag)=1; )
}

// found: c29_reset_scan_pending
namespace c29_reset_scan_pending_ {
__device__ u pend[8]={0,0,0,1,0,0,0,0};
BEHIND(c29_reset_scan_pending, u miss=0; u i=0; while(i<8){ miss|=LOOK(pend[i]); i++; if(i==8&&miss){ i=0; miss=0; } } r=1; , LOOK(pend[3])=0; )
}

// found: c30_reset_scan_lock
namespace c30_reset_scan_lock_ {
//BLK 4
__device__ u lk;
extern "C" __global__ void c30_reset_scan_lock(u*m,u*out){ u lane=threadIdx.x; u t=8; while(t){ t--; if(!t&&atomicCAS(&lk,0,1)!=0) t=8; } LOOK(m[0])=LOOK(m[0])+1; __threadfence(); atomicExch(&lk,0); out[lane]=1; }
}

// found: c31_reset_2lanes
namespace c31_reset_2lanes_ {
//BLK 2
__device__ u fl[2];
extern "C" __global__ void c31_reset_2lanes(u*m,u*out){ u lane=threadIdx.x; u t=4; while(lane&&t){ t--; if(!t&&!LOOK(fl[1-lane])) t=4; } LOOK(fl[lane])=1; out[lane]=1; }
}

// found: c32_reset_float
namespace c32_reset_float_ {
__device__ u flag;
BEHIND(c32_reset_float, float t=4; while(t>0){ t-=1; if(t<=0&&!LOOK(flag)) t=4; } r=1; , LOOK(flag)=1; )
}

// found: c33_reset_backoff
namespace c33_reset_backoff_ {
__device__ u flag;
BEHIND(c33_reset_backoff, u ns=1; while(ns<64){ __nanosleep(ns); ns*=2; if(ns>=64&&!LOOK(flag)) ns=1; } r=1; , LOOK(flag)=1; )
}

// found: c34_cas_byte_shared
namespace c34_cas_byte_shared_ {
extern "C" __global__ void c34_cas_byte_shared(u*m,u*out){ __shared__ u c,on; u lane=threadIdx.x; if(!lane){c=0;on=1;} __syncthreads(); if(lane){ u o; do{ o=LOOK(c); LOOK(c)=o+LOOK(on); }while(atomicCAS(&c,o,o)!=o); } out[lane]=1; if(!lane) LOOK(on)=0; }
}

// found: c35_cas_own_store_plain
namespace c35_cas_own_store_plain_ {
__device__ u c,on=1;
BEHIND(c35_cas_own_store_plain, u o; do{ o=LOOK(c); LOOK(c)=o+LOOK(on); }while(atomicCAS(&c,o,o+1)!=o); r=1; , LOOK(on)=0; )
}

// found: c36_cas_own_store_half
namespace c36_cas_own_store_half_ {
__device__ u c,on=1;
BEHIND(c36_cas_own_store_half, u o; do{ o=LOOK(c); ((volatile unsigned short*)&c)[1]=(o>>16)^LOOK(on); }while(atomicCAS(&c,o,o)!=o); r=1; , LOOK(on)=0; )
}

// found: c37_cas64_own_store32
namespace c37_cas64_own_store32_ {
__device__ ull c; __device__ u on=1;
BEHIND(c37_cas64_own_store32, ull o; do{ o=LOOK_WIDE(c); ((volatile u*)&c)[1]=(u)(o>>32)+LOOK(on); }while(atomicCAS(&c,o,o)!=o); r=1; , LOOK(on)=0; )
}

// found: c38_cas_own_byte_const
namespace c38_cas_own_byte_const_ {
__device__ u c; __device__ unsigned char b=7;
BEHIND(c38_cas_own_byte_const, u o; do{ o=LOOK(c); ((volatile unsigned char*)&c)[0]=o+*(volatile unsigned char*)&b; }while(atomicCAS(&c,o,o)!=o); r=1; , *(volatile unsigned char*)&b=0; )
}

// found: c39_cas_own_byte_atomicmax
namespace c39_cas_own_byte_atomicmax_ {
__device__ u c=1,lo=9;
BEHIND(c39_cas_own_byte_atomicmax, u o; do{ o=LOOK(c); atomicXor(&c,LOOK(lo)); }while(atomicCAS(&c,o,o)!=o); r=1; , LOOK(lo)=0; )
}

// found: c40_exit_on_zero_helped_same
namespace c40_exit_on_zero_helped_same_ {
__device__ u desc=5,val[8]={0,1,2,3,4,5,6,7};
BEHIND(c40_exit_on_zero_helped_same, u d; while((d=LOOK(desc))!=0){ if(atomicCAS(&desc,d,LOOK(val[d]))==d && LOOK(val[d])==0) break; } r=1; , LOOK(val[5])=0; )
}

// found: c41_help_desc64
namespace c41_help_desc64_ {
__device__ ull desc=5,val=5;
BEHIND(c41_help_desc64, ull d; while((d=LOOK_WIDE(desc))!=0){ atomicCAS(&desc,d,LOOK_WIDE(val)); } r=1; , LOOK_WIDE(val)=0; )
}

// found: c42_help_desc_shared
namespace c42_help_desc_shared_ {
extern "C" __global__ void c42_help_desc_shared(u*m,u*out){ __shared__ u desc,val; u lane=threadIdx.x; if(!lane){desc=5;val=5;} __syncthreads(); if(lane){ u d; while((d=LOOK(desc))!=0){ u n=LOOK(val); atomicCAS(&desc,d,n); } } out[lane]=1; if(!lane) LOOK(val)=0; }
}
