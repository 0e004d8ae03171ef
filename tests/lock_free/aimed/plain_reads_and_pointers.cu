// Waits by plain reads, by what a pointer changes, and to ends that are computed from the numbers of threads.
// They hang on a reconvergence stack, and end where lanes go on by themselves.

typedef unsigned u; typedef unsigned long long ull;
#define TID (blockIdx.x*blockDim.x+threadIdx.x)
#define NT (gridDim.x*blockDim.x)
#define KERNEL(name) extern "C" __global__ void name(int *out, unsigned *mem, int n)
#define LANE (threadIdx.x&31)
template<class T> __device__ __forceinline__ T vld(const T*p){ return *(const volatile T*)p; }
template<class T> __device__ __forceinline__ void vst(T*p,T v){ *(volatile T*)p=v; }
#define F __threadfence()

// found: w01_weak_add
namespace w01_weak_add_ {
KERNEL(w01_weak_add){ if(LANE==4){ F; atomicExch(mem,1); } else { int i=0; while(i<10) i+=__ldcg(mem); } out[TID]=1; }
}

// found: w02_weak_or
namespace w02_weak_or_ {
KERNEL(w02_weak_or){ if(LANE==4){ F; atomicExch(mem,1); } else { u g=0; while(!g) g|=__ldcg(mem); } out[TID]=1; }
}

// found: w03_weak_max
namespace w03_weak_max_ {
KERNEL(w03_weak_max){ if(LANE==4){ F; atomicExch(mem,7); } else { u g=0; while(g<5) g=max(g,__ldcv(mem)); } out[TID]=1; }
}

// found: w04_weak_state
namespace w04_weak_state_ {
KERNEL(w04_weak_state){ if(LANE==4){ F; atomicExch(mem,1); } else { int s=0; while(s!=3) s=s==0?(__ldcg(mem)?1:0):s+1; } out[TID]=1; }
}

// found: w05_weak_chase
namespace w05_weak_chase_ {
KERNEL(w05_weak_chase){ if(LANE==4){ F; for(int k=4;k>=0;k--) vst(mem+k,(u)k+1); } else { u i=0; while(i<5) i=max(i,__ldcg(mem+i)); } out[TID]=1; }
}

// found: w06_weak_records
namespace w06_weak_records_ {
KERNEL(w06_weak_records){ if(LANE==4){ F; for(int k=0;k<20;k+=5) vst(mem+k,5u); } else { u i=0; while(i<20) i+=__ldcg(mem+i); } out[TID]=1; }
}

// found: w07_weak_tail
namespace w07_weak_tail_ {
KERNEL(w07_weak_tail){ if(LANE==4){ F; atomicExch(mem,20); } else { u i=0,s=0; while(i<20){ u t=__ldcg(mem); for(;i<t;i++) s+=i; } out[100+TID]=s; } out[TID]=1; }
}

// found: w08_weak_two
namespace w08_weak_two_ {
KERNEL(w08_weak_two){ if(LANE==4){ F; atomicExch(mem,1); } else { int k=0; for(;;){ if(__ldcg(mem)) k++; if(k>=3) break; } } out[TID]=1; }
}

// assumed: w09_weak_shared
namespace w09_weak_shared_ {
KERNEL(w09_weak_shared){ __shared__ u s[4]; if(threadIdx.x<4) s[threadIdx.x]=0; __syncthreads(); if(LANE==4){ s[0]=1; __threadfence_block(); } else { int i=0; while(i<10){ asm volatile("":::"memory"); i+=s[0]; } } out[TID]=1; }
}

// found: w10_weak_and_strong
namespace w10_weak_and_strong_ {
// one weak read in a step, one volatile read that tells nothing
KERNEL(w10_weak_and_strong){ if(LANE==4){ F; atomicExch(mem,1); } else { int i=0; u z=0; while(i<10){ z^=vld(mem+9); i+=__ldcg(mem); } out[300]=z; } out[TID]=1; }
}

// found: w11_weak_sum_two
namespace w11_weak_sum_two_ {
KERNEL(w11_weak_sum_two){ if(LANE==4){ F; atomicExch(mem,1); } else { u a=0; do a=a*2+__ldcg(mem); while(a<100); } out[TID]=1; }
}

// found: w12_weak_last
namespace w12_weak_last_ {
KERNEL(w12_weak_last){ if(LANE==4){ F; atomicExch(mem,1); } else { u p=0,c=0; do{ p=c; c=__ldcg(mem); }while(p==0); } out[TID]=1; }
}

// found: w13_weak_struct
namespace w13_weak_struct_ {
KERNEL(w13_weak_struct){ if(LANE==4){ F; atomicAdd(mem+3,4); } else { int left=10; while(left>0) left-=__ldcg((int*)mem+3); } out[TID]=1; }
}

// assumed: w14_plain_add_asm
namespace w14_plain_add_asm_ {
KERNEL(w14_plain_add_asm){ if(LANE==4){ F; atomicExch(mem,1); } else { int i=0; while(i<10){ u v; asm volatile("ld.global.u32 %0,[%1];":"=r"(v):"l"(__cvta_generic_to_global(mem)):"memory"); i+=v; } } out[TID]=1; }
}

// found: w15_weak_add_big
namespace w15_weak_add_big_ {
KERNEL(w15_weak_add_big){ if(LANE==4){ F; atomicExch(mem,1); } else { int i=0; while(i<10) i+=__ldcg(mem)!=0; } out[TID]=1; }
}

// found: w16_weak_neq
namespace w16_weak_neq_ {
KERNEL(w16_weak_neq){ if(LANE==4){ F; atomicExch(mem,1); } else { int i=0; while(i!=10) i+=__ldcg(mem); } out[TID]=1; }
}

// assumed: w17_weak_plain_loopctr
namespace w17_weak_plain_loopctr_ {
KERNEL(w17_weak_plain_loopctr){ if(LANE==4){ F; atomicExch(mem,1); } else { for(int i=0;i<10;){ __nanosleep(5); if(*mem) i++; } } out[TID]=1; }
}

// found: w18_weak_lim
namespace w18_weak_lim_ {
KERNEL(w18_weak_lim){ if(LANE==4){ F; atomicExch(mem,1); } else { int e=5; for(int i=0;i<e;i++) if(!__ldcg(mem)) e++; } out[TID]=1; }
}

// assumed: x01_plain_scan
namespace x01_plain_scan_ {
#define MB asm volatile("":::"memory")
KERNEL(x01_plain_scan){ u i=TID&7; if(LANE==4){ F; atomicExch(mem+3,1); } else { while(!mem[i]){ i=(i+1)&7; MB; } } out[TID]=1; }
}

// assumed: x02_plain_chase
namespace x02_plain_chase_ {
#define MB asm volatile("":::"memory")
KERNEL(x02_plain_chase){ if(LANE==4){ F; for(int k=4;k>=0;k--) vst(mem+k,(u)k+1); } else { u i=0; while(i<5){ i=mem[i]; MB; } } out[TID]=1; }
}

// found: x03_plain_ticket
namespace x03_plain_ticket_ {
#define MB asm volatile("":::"memory")
KERNEL(x03_plain_ticket){ u t=atomicAdd(mem,1); while(mem[1]!=t) MB; F; vst(out,vld(out)+1); F; atomicAdd(mem+1,1); }
}

// found: x04_plain_two
namespace x04_plain_two_ {
#define MB asm volatile("":::"memory")
KERNEL(x04_plain_two){ if(LANE<2){ F; atomicExch(mem+LANE*8,1); } else { u a,b; do{ MB; a=mem[0]; b=mem[8]; }while(a+b<2); } out[TID]=1; }
}

// found: x05_plain_state
namespace x05_plain_state_ {
#define MB asm volatile("":::"memory")
KERNEL(x05_plain_state){ if(LANE==4){ F; atomicExch(mem,1); } else { int s=0; while(s!=3){ MB; switch(s){ case 0: if(*mem) s=1; break; case 1: s=2; break; default: s=3; } } } out[TID]=1; }
}

// found: x06_plain_done_bool
namespace x06_plain_done_bool_ {
KERNEL(x06_plain_done_bool){ if(LANE==4){ F; atomicExch(mem,1); } else { bool d=false; while(!d){ __nanosleep(10); if(*mem) d=true; } } out[TID]=1; }
}

// found: x07_plain_ttas
namespace x07_plain_ttas_ {
KERNEL(x07_plain_ttas){ for(;;){ while(*mem) __nanosleep(3); if(!atomicExch(mem,1)) break; } F; vst(out,vld(out)+1); F; atomicExch(mem,0); }
}

// found: x08_plain_backoff
namespace x08_plain_backoff_ {
KERNEL(x08_plain_backoff){ if(LANE==4){ F; atomicExch(mem,1); } else { u d=1; while(!*mem){ __nanosleep(d); d=min(d*2,64u); } } out[TID]=1; }
}

// found: x09_plain_or
namespace x09_plain_or_ {
KERNEL(x09_plain_or){ if(LANE==4){ F; atomicExch(mem,1); } else { u g=0; while(!g){ __threadfence(); g|=*mem; } } out[TID]=1; }
}

// found: x10_plain_fence_cnt
namespace x10_plain_fence_cnt_ {
KERNEL(x10_plain_fence_cnt){ if(LANE==4){ F; atomicExch(mem,1); } else { int k=0; while(k<3){ __threadfence(); k+=*mem; } } out[TID]=1; }
}

// found: x11_plain_syncwarp_cnt
namespace x11_plain_syncwarp_cnt_ {
KERNEL(x11_plain_syncwarp_cnt){ if(LANE==4){ F; atomicExch(mem,1); } else { int k=0; while(k<3){ __syncwarp(~16u); k+=*mem; } } out[TID]=1; }
}

// found: x12_plain_poll_three
namespace x12_plain_poll_three_ {
// wait until three of the flags are set
KERNEL(x12_plain_poll_three){ if(LANE<3){ F; atomicExch(mem+LANE,1); } else { u c=0; while(c<3){ __threadfence(); if(mem[c]) c++; } } out[TID]=1; }
}

// found: x13_plain_list_ready
namespace x13_plain_list_ready_ {
struct Nd{ Nd*next; int ready; int pad; };
KERNEL(x13_plain_list_ready){ Nd*a=(Nd*)mem; if(TID<5) a[TID].next=TID<4?a+TID+1:nullptr; __syncthreads(); if(LANE<5){ F; if(TID<5) atomicExch(&a[LANE].ready,1); } else { for(Nd*p=a;p;){ __threadfence(); if(p->ready) p=p->next; } } out[TID]=1; }
}

// found: x14_plain_shared_poll
namespace x14_plain_shared_poll_ {
KERNEL(x14_plain_shared_poll){ __shared__ int f[4]; if(threadIdx.x<4) f[threadIdx.x]=0; __syncthreads(); if(LANE<4){ __threadfence_block(); f[LANE]=1; } else { int c=0; while(c<4){ __threadfence_block(); if(f[c]) c++; } } out[TID]=1; }
}

// found: x15_vol_poll_three
namespace x15_vol_poll_three_ {
KERNEL(x15_vol_poll_three){ if(LANE<3){ F; atomicExch(mem+LANE,1); } else { u c=0; while(c<3){ if(vld(mem+c)) c++; } } out[TID]=1; }
}

// found: x16_plain_progress
namespace x16_plain_progress_ {
KERNEL(x16_plain_progress){ if(LANE==0){ F; for(u k=1;k<=8;k++) vst(mem,k); } else { u i=0; while(i<8){ __threadfence(); if(i<*mem) i++; } } out[TID]=1; }
}

// found: x17_plain_spsc
namespace x17_plain_spsc_ {
KERNEL(x17_plain_spsc){ if(LANE==0){ for(u k=0;k<4;k++){ vst(mem+8+k,k+1); F; vst(mem,k+1);} } else if(LANE==1){ u r=0,s=0; while(r<4){ __threadfence(); if(mem[0]!=r){ s+=mem[8+r]; r++; } } out[64+TID]=s; } out[TID]=1; }
}

// found: x18_plain_dependency
namespace x18_plain_dependency_ {
// sync-free triangular solve, flags by plain reads and a fence
KERNEL(x18_plain_dependency){ u i=TID; u j=0; int s=1; while(j<i){ __threadfence(); if(mem[j]){ s=(s+vld(out+j))&0xffff; j+=(j&7)+1; } } vst(out+i,s); F; atomicExch(mem+i,1); }
}

// found: x19_vol_dependency
namespace x19_vol_dependency_ {
KERNEL(x19_vol_dependency){ u i=TID; u j=0; int s=1; while(j<i){ if(vld(mem+j)){ s=(s+vld(out+j))&0xffff; j+=(j&7)+1; } } vst(out+i,s); F; atomicExch(mem+i,1); }
}

// found: x20_plain_ld_u64
namespace x20_plain_ld_u64_ {
KERNEL(x20_plain_ld_u64){ ull*q=(ull*)mem; if(LANE==0){ F; atomicExch(q,~0ull);} else { ull g=0; int k=0; while(k<64){ __threadfence(); k=__popcll(g|=*q); } } out[TID]=1; }
}

// found: y01_plain_with_atomic
namespace y01_plain_with_atomic_ {
KERNEL(y01_plain_with_atomic){ if(LANE<3){ F; atomicExch(mem+LANE,1); } else { u c=0; while(c<3){ atomicAdd(mem+100,1); if(mem[c]) c++; } } out[TID]=1; }
}

// assumed: y02_plain_with_store
namespace y02_plain_with_store_ {
KERNEL(y02_plain_with_store){ if(LANE<3){ F; atomicExch(mem+LANE,1); } else { u c=0; while(c<3){ vst(mem+100+TID,c); if(mem[c]) c++; } } out[TID]=1; }
}

// assumed: y03_plain_with_call
namespace y03_plain_with_call_ {
__device__ __noinline__ u rd(u*p){ return *p; }
KERNEL(y03_plain_with_call){ if(LANE<3){ F; atomicExch(mem+LANE,1); } else { u c=0; while(c<3){ if(rd(mem+c)) c++; } } out[TID]=1; }
}

// found: y04_plain_with_vol
namespace y04_plain_with_vol_ {
KERNEL(y04_plain_with_vol){ if(LANE<3){ F; atomicExch(mem+LANE,1); } else { u c=0; u z=0; while(c<3){ z+=vld(mem+200); if(mem[c]) c++; } out[200]=z; } out[TID]=1; }
}

// found: y05_plain_cnt_direct
namespace y05_plain_cnt_direct_ {
KERNEL(y05_plain_cnt_direct){ if(LANE==3){ F; atomicExch(mem,1); } else { u c=0; do{ __nanosleep(1); c+=*mem; }while(c<1); } out[TID]=1; }
}

// assumed: y06_plain_scan_shared
namespace y06_plain_scan_shared_ {
KERNEL(y06_plain_scan_shared){ __shared__ u f[8]; if(threadIdx.x<8) f[threadIdx.x]=0; __syncthreads(); if(LANE==3){ f[5]=1; } else { u i=0; while(!f[i]){ i=(i+1)&7; __nanosleep(1);} } out[TID]=1; }
}

// assumed: y07_plain_hash_lookup
namespace y07_plain_hash_lookup_ {
KERNEL(y07_plain_hash_lookup){ u h=(TID*5)&15; if(LANE==4){ F; atomicExch(mem+11,77); } else { while(mem[h]!=77){ h=(h+1)&15; __nanosleep(1);} } out[TID]=1; }
}

// assumed: y08_plain_list_find
namespace y08_plain_list_find_ {
KERNEL(y08_plain_list_find){ if(TID<4) mem[64+TID]=TID<3?TID+1:0; __syncthreads(); u*key=mem+128; if(LANE==4){ atomicExch(key+2,7); } else { for(u p=0;key[p]!=7;p=mem[64+p]) __nanosleep(1); } out[TID]=1; }
}

// assumed: y09_plain_chain
namespace y09_plain_chain_ {
// chained scan by plain reads, all flags before mine
KERNEL(y09_plain_chain){ u j=0; while(j<threadIdx.x){ __nanosleep(1); if(mem[j+blockIdx.x*64]) j++; } out[TID]=1; F; atomicExch(mem+threadIdx.x+blockIdx.x*64,1); }
}

// assumed: y10_plain_uf_root
namespace y10_plain_uf_root_ {
KERNEL(y10_plain_uf_root){ if(TID<2) mem[TID]=1-TID; __syncthreads(); if(LANE==4){ F; atomicExch(mem+1,1); } else { u x=0; while(mem[x]!=x){ x=mem[x]; __nanosleep(1);} } out[TID]=1; }
}

// found: z01_end_lowered
namespace z01_end_lowered_ {
KERNEL(z01_end_lowered){ u*e=mem+8; if(!TID) vst(e,~0u); __syncthreads(); if(LANE==4){ F; atomicExch(e,0); } else for(u i=0;i<vld(e);i++) __nanosleep(1); out[TID]=1; }
}

// found: z02_end_shared
namespace z02_end_shared_ {
KERNEL(z02_end_shared){ __shared__ u e; if(!threadIdx.x) e=~0u; __syncthreads(); if(LANE==4) vst(&e,0u); else for(u i=0;i<vld(&e);i++); out[TID]=1; }
}

// found: z03_end_min
namespace z03_end_min_ {
KERNEL(z03_end_min){ u*e=mem+8; if(!TID) vst(e,~0u); __syncthreads(); if(LANE==4){ F; atomicMin(e,3); } else { u i=0; while(i<vld(e)) i++; } out[TID]=1; }
}

// found: z04_end_u64
namespace z04_end_u64_ {
KERNEL(z04_end_u64){ ull*e=(ull*)mem+8; if(!TID) vst(e,~0ull); __syncthreads(); if(LANE==4){ F; atomicExch(e,0ull); } else for(ull i=0;i<vld(e);i++); out[TID]=1; }
}

// found: z05_end_ptr
namespace z05_end_ptr_ {
KERNEL(z05_end_ptr){ u**e=(u**)(mem+8); if(!TID) vst(e,(u*)~0ull); __syncthreads(); if(LANE==4){ F; vst(e,mem); } else for(u*p=mem;p<vld(e);p++); out[TID]=1; }
}

// found: z06_ne_end_step2
namespace z06_ne_end_step2_ {
KERNEL(z06_ne_end_step2){ u*e=mem+8; if(!TID) vst(e,1u); __syncthreads(); if(LANE==4){ F; atomicOr(e,0x80000000u); } else { u i=0; while(!((i^vld(e))>>31)){ i=(i+2)&0xffff; } } out[TID]=1; }
}

// found: z07_far_tid_shl
namespace z07_far_tid_shl_ {
KERNEL(z07_far_tid_shl){ u lim=(TID+1)<<24; if(LANE==4){ F; atomicExch(mem,1); } else for(u i=0;i<lim;i++) if(vld(mem)) break; out[TID]=1; }
}

// found: z08_far_not_tid
namespace z08_far_not_tid_ {
KERNEL(z08_far_not_tid){ u lim=~TID; if(LANE==4){ F; atomicExch(mem,1); } else for(u i=0;i<lim;i++) if(vld(mem)) break; out[TID]=1; }
}

// found: z10_far_clock
namespace z10_far_clock_ {
KERNEL(z10_far_clock){ u lim=(u)clock()|0x40000000u; if(LANE==4){ F; atomicExch(mem,1); } else for(u i=0;i<lim;i++) if(vld(mem)) break; out[TID]=1; }
}

// found: z11_far_bdim
namespace z11_far_bdim_ {
KERNEL(z11_far_bdim){ u lim=blockDim.x<<24; if(LANE==4){ F; atomicExch(mem,1); } else for(u i=0;i<lim;i++) if(vld(mem)) break; out[TID]=1; }
}

// found: z12_far_minus_lane
namespace z12_far_minus_lane_ {
KERNEL(z12_far_minus_lane){ u lim=0x7fffffffu-LANE; if(LANE==4){ F; atomicExch(mem,1); } else for(u i=0;i<lim;i++) if(vld(mem)) break; out[TID]=1; }
}

// found: z13_start_not_tid
namespace z13_start_not_tid_ {
KERNEL(z13_start_not_tid){ if(LANE==4){ F; atomicExch(mem,1); } else for(u i=~TID;i>0;i--) if(vld(mem)) break; out[TID]=1; }
}

// found: z14_float_tid
namespace z14_float_tid_ {
KERNEL(z14_float_tid){ if(LANE==4){ F; atomicExch(mem,1); } else for(float f=0;f<1e9f+(float)TID;f+=1.f) if(vld(mem)) break; out[TID]=1; }
}

// found: z15_parity_tid
namespace z15_parity_tid_ {
KERNEL(z15_parity_tid){ if(LANE==4){ F; atomicExch(mem,1); } else for(u i=TID*2;i!=101;i+=2) if(vld(mem)) break; out[TID]=1; }
}

// found: z16_mul_limit
namespace z16_mul_limit_ {
KERNEL(z16_mul_limit){ u lim=(TID+3)*100000000u; if(LANE==4){ F; atomicExch(mem,1); } else for(u i=0;i<lim;i++) if(vld(mem)) break; out[TID]=1; }
}

// found: z17_nest_tid
namespace z17_nest_tid_ {
KERNEL(z17_nest_tid){ u a=(TID|1)*2000u; if(LANE==4){ F; atomicExch(mem,1); } else { for(u i=0;i<a;i++) for(u j=0;j<a;j++) if(vld(mem)) goto o; } o: out[TID]=1; }
}

// found: z19_u64_product
namespace z19_u64_product_ {
KERNEL(z19_u64_product){ ull lim=(ull)(TID+1)*(TID+1)<<28; if(LANE==4){ F; atomicExch(mem,1); } else for(ull i=0;i<lim;i++) if(vld(mem)) break; out[TID]=1; }
}

// found: z20_do_while_end
namespace z20_do_while_end_ {
KERNEL(z20_do_while_end){ u*e=mem+8; if(!TID) vst(e,~0u); __syncthreads(); if(LANE==4){ F; atomicExch(e,0); } else { u i=0; do{ i+=1; }while(i<vld(e)); } out[TID]=1; }
}
