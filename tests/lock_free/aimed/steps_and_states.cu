// Waits by steps, states, tables and slots: a lane goes on as another one tells it.
// They hang on a reconvergence stack, and end where lanes go on by themselves.

typedef unsigned u; typedef unsigned long long ull;
#define TID (blockIdx.x*blockDim.x+threadIdx.x)
#define NT (gridDim.x*blockDim.x)
#define KERNEL(name) extern "C" __global__ void name(int *out, unsigned *mem, int n)
#define LANE (threadIdx.x&31)
template<class T> __device__ __forceinline__ T vld(const T*p){ return *(const volatile T*)p; }
template<class T> __device__ __forceinline__ void vst(T*p,T v){ *(volatile T*)p=v; }
#define F __threadfence()

// found: a02_step_flag
namespace a02_step_flag_ {
KERNEL(a02_step_flag){ if(LANE==7){ F; atomicExch(mem,1); } else { int i=0; while(i<100){ i+=vld(mem)!=0; } } out[TID]=1; }
}

// found: a03_shift_flag
namespace a03_shift_flag_ {
KERNEL(a03_shift_flag){ if(threadIdx.x==0){ atomicAdd(mem,1); } else { u m=0x80000000u; while(m){ m>>=(vld(mem)>0); } } out[TID]=2; }
}

// found: a04_float_sat
namespace a04_float_sat_ {
// float counter that stops at 2^24
KERNEL(a04_float_sat){ if(LANE==3) atomicExch(mem,1); else { float f=16777200.f; while(f<1e8f){ if(vld(mem)) break; f+=1.0f; } } out[TID]=3; }
}

// found: a05_min_sat
namespace a05_min_sat_ {
KERNEL(a05_min_sat){ if(LANE==3) atomicExch(mem,1); else { int i=0; int lim=n+100; while(i<lim){ if(vld(mem)) break; i=min(i+1,lim-1); } } out[TID]=3; }
}

// found: a06_mul_zero
namespace a06_mul_zero_ {
KERNEL(a06_mul_zero){ int i=(int)vld(mem+5); if(LANE==3) atomicExch(mem,1); else { while(i<n){ if(vld(mem)) break; i*=2; } } out[TID]=3; }
}

// found: a07_step_param_mem
namespace a07_step_param_mem_ {
KERNEL(a07_step_param_mem){ int st=mem[9]; if(LANE==3) atomicExch(mem,1); else { for(int i=0;i<n;i+=st){ if(vld(mem)) break; } } out[TID]=3; }
}

// found: a08_statemachine
namespace a08_statemachine_ {
__constant__ int T[6]={0,1,1,2,2,2};
KERNEL(a08_statemachine){ if(LANE==9) atomicExch(mem,1); else { int s=0; while(s!=2) s=T[s*2+(vld(mem)?1:0)]; } out[TID]=3; }
}

// found: a09_statemachine_local
namespace a09_statemachine_local_ {
KERNEL(a09_statemachine_local){ int t[6]; for(int i=0;i<6;i++) t[i]= i<1?0: i<3?1:2; if(n==17) t[n&3]=7; if(LANE==9) atomicExch(mem,1); else { int s=0; while(s!=2) s=t[s*2+(vld(mem)?1:0)]; } out[TID]=3; }
}

// found: a10_slots_ring
namespace a10_slots_ring_ {
// claim one of 4 slots, work, free it: table full = wait
KERNEL(a10_slots_ring){ u i=threadIdx.x&3; while(atomicCAS(mem+i,0,TID+1)!=0) i=(i+1)&3; F; atomicAdd(out+i*0,1); F; atomicExch(mem+i,0); }
}

// found: a11_slots_bits
namespace a11_slots_bits_ {
KERNEL(a11_slots_bits){ int b; while(1){ u m=atomicOr(mem,0); b=__ffs(~m)-1; if(b<0||b>=4) continue; u o=atomicOr(mem,1u<<b); if(!(o&(1u<<b))) break; } atomicAdd(out,1); F; atomicAnd(mem,~(1u<<b)); }
}

// found: a12_slots_nested
namespace a12_slots_nested_ {
KERNEL(a12_slots_nested){ int s=-1; do{ for(int i=0;i<n;i++) if(atomicCAS(mem+i,0,1)==0){ s=i; break; } }while(s<0); atomicAdd(out,1); F; atomicExch(mem+s,0); }
}

// found: a13_cas_mask
namespace a13_cas_mask_ {
KERNEL(a13_cas_mask){ u o,a; do{ o=vld(mem); a=o&~1u; }while(atomicCAS(mem,a,a|1)!=a); F; out[0]+=1; F; atomicAnd(mem,~1u); }
}

// found: a14_cas_sem
namespace a14_cas_sem_ {
KERNEL(a14_cas_sem){ if(LANE==0){ atomicAdd(mem,31); } else { u o,e; do{ o=vld(mem); e=o>0?o:1; }while(atomicCAS(mem,e,e-1)!=e); } out[TID]=4; }
}

// found: a15_cas_cap
namespace a15_cas_cap_ {
KERNEL(a15_cas_cap){ u o,e; do{ o=vld(mem); e=min(o,3u); }while(atomicCAS(mem,e,e+1)!=e); atomicAdd(out,1); F; atomicSub(mem,1); }
}

// found: a16_cas_noop
namespace a16_cas_noop_ {
KERNEL(a16_cas_noop){ if(LANE==31) atomicExch(mem,1); else { u v; do{ v=vld(mem); }while(atomicCAS(mem,v,v)!=v||v==0); } out[TID]=1; }
}

// found: a17_cas_guard
namespace a17_cas_guard_ {
// pop of an empty queue
KERNEL(a17_cas_guard){ if(LANE==31){ atomicAdd(mem+1,31); } else { while(1){ u h=vld(mem),t=vld(mem+1); if(h<t && atomicCAS(mem,h,h+1)==h) break; } } out[TID]=1; }
}

// found: a19_dec_wrap
namespace a19_dec_wrap_ {
KERNEL(a19_dec_wrap){ if(threadIdx.x==0) atomicExch(mem,3); __syncthreads(); while(1){ u o=atomicDec(mem,0); if(o!=0) break; } atomicAdd(out,1); F; atomicAdd(mem,1); }
}

// found: a21_token
namespace a21_token_ {
KERNEL(a21_token){ u t; if(TID==0) atomicExch(mem,77); while((t=atomicExch(mem,0))==0); out[0]+=(int)t; F; atomicExch(mem,t); }
}

// found: a22_atomic_max_read
namespace a22_atomic_max_read_ {
KERNEL(a22_atomic_max_read){ if(LANE&1) { while(atomicMax(mem,0)<16); } else atomicAdd(mem,1); out[TID]=1; }
}

// found: a23_store_and_wait
namespace a23_store_and_wait_ {
KERNEL(a23_store_and_wait){ if(LANE==4) atomicExch(mem,1); else { while(!vld(mem)){ mem[64+TID]++; } } out[TID]=1; }
}

// found: a24_progress_and_wait
namespace a24_progress_and_wait_ {
KERNEL(a24_progress_and_wait){ if(LANE==4) atomicExch(mem,1); else { while(!vld(mem)){ atomicAdd(mem+1,1); } } out[TID]=1; }
}

// found: a25_cas_progress_wait
namespace a25_cas_progress_wait_ {
KERNEL(a25_cas_progress_wait){ if(LANE==4) atomicExch(mem,1); else { u o=0; while(!vld(mem)){ u p=atomicCAS(mem+1,o,o+1); o=p==o?o+1:p; } } out[TID]=1; }
}

// found: a26_own_word_acc
namespace a26_own_word_acc_ {
KERNEL(a26_own_word_acc){ if(LANE==4) atomicExch(mem,1); else { u*w=mem+100+TID; while(vld(w)<3) vst(w,vld(w)+vld(mem)); } out[TID]=1; }
}

// found: a27_outer_big
namespace a27_outer_big_ {
KERNEL(a27_outer_big){ if(LANE==4) atomicExch(mem,1); else { for(int r=0;r<1<<20;r++) for(int j=0;j<1<<10;j++) if(vld(mem)) goto done; } done: out[TID]=1; }
}

// assumed: a28_lcg
namespace a28_lcg_ {
KERNEL(a28_lcg){ if(LANE==4) atomicExch(mem,1); else { u x=n; do{ x=x*1664525u+1013904223u; if(vld(mem)) break; }while(x!=(u)n); } out[TID]=1; }
}

// found: a29_cnt_neg
namespace a29_cnt_neg_ {
KERNEL(a29_cnt_neg){ if(LANE==4) atomicExch(mem,1); else { for(int i=10;i>0;i-=vld(mem)?1:0); } out[TID]=1; }
}

// found: a30_cnt_modparam
namespace a30_cnt_modparam_ {
KERNEL(a30_cnt_modparam){ if(LANE==4) atomicExch(mem,1); else { for(u i=0;i<(u)n;i=(i+1)%(u)n) if(vld(mem)) break; } out[TID]=1; }
}

// found: a32_ull_cnt
namespace a32_ull_cnt_ {
KERNEL(a32_ull_cnt){ if(LANE==4) atomicExch(mem,1); else { for(ull i=0;i<(1ull<<40);i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: a33_end_moves
namespace a33_end_moves_ {
KERNEL(a33_end_moves){ if(LANE==4) atomicExch(mem,1); else { int e=10; for(int i=0;i<e;i++) { if(!vld(mem)) e=i+10; } } out[TID]=1; }
}

// found: a34_end_in_local
namespace a34_end_in_local_ {
KERNEL(a34_end_in_local){ int e[4]={10,20,30,40}; int w=n&3; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<e[w];i++) { if(!vld(mem)) e[(i+w-i)&3]++; } } out[TID]=1; }
}

// found: a35_end_in_mem
namespace a35_end_in_mem_ {
KERNEL(a35_end_in_mem){ u*e=mem+200+TID; vst(e,10u); if(LANE==4) atomicExch(mem,1); else { for(u i=0;i<vld(e);i++) { if(!vld(mem)) vst(e,vld(e)+1); } } out[TID]=1; }
}

// found: a36_two_ptrs
namespace a36_two_ptrs_ {
// two pointers that chase: i runs to j, j runs on while flag unset
KERNEL(a36_two_ptrs){ if(LANE==4) atomicExch(mem,1); else { u*a=mem+300,*b=mem+310; while(a!=b){ a++; if(!vld(mem)) b++; } } out[TID]=1; }
}

// found: a37_xor_toggle
namespace a37_xor_toggle_ {
KERNEL(a37_xor_toggle){ if(LANE==4) atomicExch(mem,1); else { u s=0; do{ s^=1; }while(!(vld(mem)&(s|1))); } out[TID]=1; }
}

// found: a38_cnt_clock_big
namespace a38_cnt_clock_big_ {
KERNEL(a38_cnt_clock_big){ if(LANE==4) atomicExch(mem,1); else { long long t=clock64(); while(!vld(mem)&&clock64()-t<(1ll<<50)); } out[TID]=1; }
}
