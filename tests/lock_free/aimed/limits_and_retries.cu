// Waits that count, retry and look elsewhere: ends that are far, that move or that another lane lowers.
// They hang on a reconvergence stack, and end where lanes go on by themselves.

typedef unsigned u; typedef unsigned long long ull;
#define TID (blockIdx.x*blockDim.x+threadIdx.x)
#define NT (gridDim.x*blockDim.x)
#define KERNEL(name) extern "C" __global__ void name(int *out, unsigned *mem, int n)
#define LANE (threadIdx.x&31)
template<class T> __device__ __forceinline__ T vld(const T*p){ return *(const volatile T*)p; }
template<class T> __device__ __forceinline__ void vst(T*p,T v){ *(volatile T*)p=v; }
#define F __threadfence()

// found: d01_ne_step2
namespace d01_ne_step2_ {
KERNEL(d01_ne_step2){ if(LANE==4) atomicExch(mem,1); else { for(u i=0;i!=(u)n;i+=2) if(vld(mem)) break; } out[TID]=1; }
}

// assumed: d02_ge_zero
namespace d02_ge_zero_ {
KERNEL(d02_ge_zero){ u lo=(u)n-5u; if(LANE==4) atomicExch(mem,1); else { for(u i=10;i>=lo;i--) if(vld(mem)) break; } out[TID]=1; }
}

// assumed: d03_le_max
namespace d03_le_max_ {
KERNEL(d03_le_max){ u hi=(u)n-6u; if(LANE==4) atomicExch(mem,1); else { for(u i=0;i<=hi;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: d04_masked_cnt
namespace d04_masked_cnt_ {
KERNEL(d04_masked_cnt){ if(LANE==4) atomicExch(mem,1); else { u i=0; while((i++&(u)n)<=(u)n) if(vld(mem)) break; } out[TID]=1; }
}

// found: d05_ne_const
namespace d05_ne_const_ {
KERNEL(d05_ne_const){ if(LANE==4) atomicExch(mem,1); else { for(u i=1;i!=100;i+=2) if(vld(mem)) break; } out[TID]=1; }
}

// found: d06_ne_mem_start
namespace d06_ne_mem_start_ {
KERNEL(d06_ne_mem_start){ u i=vld(mem+9)+1; if(LANE==4) atomicExch(mem,1); else { for(;i!=100;i+=2) if(vld(mem)) break; } out[TID]=1; }
}

// found: d07_div_cnt
namespace d07_div_cnt_ {
KERNEL(d07_div_cnt){ if(LANE==4) atomicExch(mem,1); else { for(u i=0;i/1000000u<4000u;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: d08_clz_cnt
namespace d08_clz_cnt_ {
KERNEL(d08_clz_cnt){ if(LANE==4) atomicExch(mem,1); else { for(u i=1;__clz(i)>0;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: d09_popc_cnt
namespace d09_popc_cnt_ {
KERNEL(d09_popc_cnt){ if(LANE==4) atomicExch(mem,1); else { for(u i=0;__popc(i)<31;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: d10_sqrt_cnt
namespace d10_sqrt_cnt_ {
KERNEL(d10_sqrt_cnt){ if(LANE==4) atomicExch(mem,1); else { for(u i=0;sqrtf((float)i)<65000.f;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: d11_shr_cnt
namespace d11_shr_cnt_ {
KERNEL(d11_shr_cnt){ if(LANE==4) atomicExch(mem,1); else { for(ull i=0;(i>>20)<(1ull<<20);i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: d12_mul_cycle
namespace d12_mul_cycle_ {
KERNEL(d12_mul_cycle){ if(LANE==4) atomicExch(mem,1); else { u x=3; while(x!=2){ x=x*3&0xffff; if(vld(mem)) break; } } out[TID]=1; }
}

// found: d13_mod_cycle
namespace d13_mod_cycle_ {
KERNEL(d13_mod_cycle){ if(LANE==4) atomicExch(mem,1); else { u x=1; while(x!=0){ x=x*5%(u)(n+2); if(vld(mem)) break; } } out[TID]=1; }
}

// found: d14_neg_cycle
namespace d14_neg_cycle_ {
KERNEL(d14_neg_cycle){ if(LANE==4) atomicExch(mem,1); else { int x=n; while(x!=0){ x=-x; if(vld(mem)) break; } } out[TID]=1; }
}

// found: d15_swap
namespace d15_swap_ {
KERNEL(d15_swap){ if(LANE==4) atomicExch(mem,1); else { int i=n,j=n+1; while(i<100&&j<100){ int t=i+1; i=j-1; j=t; if(vld(mem)) break; } } out[TID]=1; }
}

// found: d16_up_down
namespace d16_up_down_ {
KERNEL(d16_up_down){ if(LANE==4) atomicExch(mem,1); else { int i=0,d=1; while(i<n){ i+=d; if(i==n-1) d=-1; if(i==0) d=1; if(vld(mem)) break; } } out[TID]=1; }
}

// found: d17_ptr_below
namespace d17_ptr_below_ {
KERNEL(d17_ptr_below){ if(LANE==4) atomicExch(mem,1); else { for(u*p=mem+100,*e=mem+n;p!=e;p++) if(vld(mem)) break; } out[TID]=1; }
}

// found: d18_tri_nest
namespace d18_tri_nest_ {
KERNEL(d18_tri_nest){ if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<3000;i++) for(int j=0;j<3000;j++) for(int k=0;k<3000;k++) if(vld(mem)) goto o; } o: out[TID]=1; }
}

// found: d19_local_2d
namespace d19_local_2d_ {
struct A2{ int v[2][4]; };
KERNEL(d19_local_2d){ A2 a; for(int i=0;i<8;i++) a.v[i>>2][i&3]=10; int w=(TID+n)&3; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<a.v[1][w];i++) if(!vld(mem)) a.v[(i|1)&1][(w+4)&3]=i+10; } out[TID]=1; }
}

// found: d21_local_int4
namespace d21_local_int4_ {
KERNEL(d21_local_int4){ int4 q[4]; for(int i=0;i<4;i++) q[i]=make_int4(10,10,10,10); int w=(TID+n)&3; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<q[w].z;i++) if(!vld(mem)) q[w^0]=make_int4(i,i,i+20,i); } out[TID]=1; }
}

// found: d22_local_ptr
namespace d22_local_ptr_ {
KERNEL(d22_local_ptr){ int a=10,b=10; int*p=(n&1)?&a:&b; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<a+b;i++) if(!vld(mem)) *p+=1; } out[TID]=1; }
}

// found: d23_local_counter_arr
namespace d23_local_counter_arr_ {
KERNEL(d23_local_counter_arr){ int c[4]={0,0,0,0}; int w=(TID+n)&3; if(LANE==4) atomicExch(mem,1); else { while(c[w]<10){ c[w]++; if(!vld(mem)) c[(w+c[w])&3]=0,c[w]=0; } } out[TID]=1; }
}

// found: d24_local_flagcopy
namespace d24_local_flagcopy_ {
KERNEL(d24_local_flagcopy){ u c[8]; for(int i=0;i<8;i++) c[i]=0; int w=(TID+n)&7; if(LANE==4) atomicExch(mem,1); else { int i=0; while(!c[w]){ c[(w+i)&7]=vld(mem); i=(i+1)&7; } } out[TID]=1; }
}

// found: d25_local_stack_of_limits
namespace d25_local_stack_of_limits_ {
KERNEL(d25_local_stack_of_limits){ int st[16]; int sp=0; st[sp++]=3; if(LANE==4) atomicExch(mem,1); else { while(sp>0){ int v=st[--sp]; if(v>0){ st[sp++]=v-1; } else if(!vld(mem)) st[sp++]=3; } } out[TID]=1; }
}

// found: d26_worklist
namespace d26_worklist_ {
KERNEL(d26_worklist){ int q[16]; u h=0,t=1; q[0]=n; if(LANE==4) atomicExch(mem,1); else { while(h!=t){ int v=q[h++&15]; if(!vld(mem)||v>0) q[t++&15]=v-1; } } out[TID]=1; }
}

// found: d27_shared_own_atomic
namespace d27_shared_own_atomic_ {
KERNEL(d27_shared_own_atomic){ __shared__ int e[64]; e[threadIdx.x]=5; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<atomicAdd(e+threadIdx.x,0);i++) if(!vld(mem)) atomicAdd(e+threadIdx.x,1); } out[TID]=1; }
}

// found: d28_out_ptr_alias
namespace d28_out_ptr_alias_ {
KERNEL(d28_out_ptr_alias){ u*a=mem+256+TID,*b=mem+256+((TID+64)&63); vst(a,10u); if(LANE==4) atomicExch(mem,1); else { for(u i=0;i<vld(a);i++) if(!vld(mem)) vst(b,i+10); } out[TID]=1; }
}

// found: d29_ms_no_help
namespace d29_ms_no_help_ {
// MS queue whose tail nobody helps on
KERNEL(d29_ms_no_help){ u me=TID+1; u*nx=mem+100; u t; do{ t=vld(mem); }while(atomicCAS(nx+t,0,me)!=0); F; atomicExch(mem,me); atomicAdd(out,1); }
}

// found: d30_ms_no_help2
namespace d30_ms_no_help2_ {
KERNEL(d30_ms_no_help2){ u me=TID+1; u*nx=mem+100; u t,x; for(;;){ t=vld(mem); x=vld(nx+t); if(x==0){ if(atomicCAS(nx+t,0,me)==0) break; } else { atomicCAS(mem,t+1,x); } } F; atomicCAS(mem,t,me); atomicAdd(out,1); }
}

// found: d32_vyukov_wait
namespace d32_vyukov_wait_ {
KERNEL(d32_vyukov_wait){ u*sq=mem+64; if(threadIdx.x<8) vst(sq+threadIdx.x,threadIdx.x); __syncthreads(); if(threadIdx.x&1){ u p=vld(mem); for(;;){ u s=vld(sq+(p&7)); int d=(int)(s-p); if(d==0){ u o=atomicCAS(mem,p,p+1); if(o==p) break; p=o; } else p=vld(mem); } vst(mem+100+(p&7),TID); F; vst(sq+(p&7),p+1); } else { u p=vld(mem+1); for(;;){ u s=vld(sq+(p&7)); int d=(int)(s-(p+1)); if(d==0){ u o=atomicCAS(mem+1,p,p+1); if(o==p) break; p=o; } else p=vld(mem+1); } F; atomicAdd(out,(int)vld(mem+100+(p&7))); F; vst(sq+(p&7),p+8); } }
}

// found: d33_treiber_wait
namespace d33_treiber_wait_ {
KERNEL(d33_treiber_wait){ if(threadIdx.x&1){ u h; do{ h=vld(mem); vst(mem+16+TID,h); F; }while(atomicCAS(mem,h,TID+1)!=h); out[TID]=1; } else { u h; do{ h=vld(mem); if(!h) continue; F; }while(!h||atomicCAS(mem,h,vld(mem+15+h))!=h); atomicAdd(out+100,(int)h); } }
}

// found: d34_snapshot
namespace d34_snapshot_ {
KERNEL(d34_snapshot){ if(LANE<4){ atomicAdd(mem,1); F; } u a,b; if(LANE>=8){ do{ a=vld(mem); F; b=vld(mem+1); }while(a!=b||a<4); } F; if(LANE<4) atomicAdd(mem+1,1); out[TID]=1; }
}

// found: d35_unique
namespace d35_unique_ {
KERNEL(d35_unique){ if(LANE==0) atomicAdd(mem,64); __syncthreads(); if(threadIdx.x!=40) atomicSub(mem,(threadIdx.x==0)?2u+63u:1u); else while(atomicCAS(mem,1,0)!=1); out[TID]=1; }
}

// found: d36_cas_t_t
namespace d36_cas_t_t_ {
KERNEL(d36_cas_t_t){ u t=atomicAdd(mem,1); while(atomicCAS(mem+1,t,t)!=t); F; vst(out,vld(out)+1); F; atomicAdd(mem+1,1); }
}

// found: d37_bit_ring
namespace d37_bit_ring_ {
KERNEL(d37_bit_ring){ u b=TID&3; while(atomicOr(mem,1u<<b)>>b&1) b=(b+1)&3; atomicAdd(out,1); F; atomicAnd(mem,~(1u<<b)); }
}

// found: d38_exch_swap
namespace d38_exch_swap_ {
KERNEL(d38_exch_swap){ u s=threadIdx.x>>1; u x=TID+1; if(threadIdx.x&1){ atomicExch(mem+s,x); } else { u v; do{ v=atomicExch(mem+s,x); }while(v==0||v==x); } out[TID]=1; }
}

// found: d39_min_lock
namespace d39_min_lock_ {
KERNEL(d39_min_lock){ if(!TID) atomicExch(mem,~0u); __syncthreads(); while(atomicMin(mem,TID)!=~0u); F; vst(out,vld(out)+1); F; atomicExch(mem,~0u); }
}

// found: d41_shfl_chain
namespace d41_shfl_chain_ {
KERNEL(d41_shfl_chain){ if(LANE<8){ u v=0,w=0; do{ u x=__shfl_up_sync(0xff,v,1); v=LANE?x:vld(mem); w=__shfl_sync(0xff,v,7); }while(!w); } else { F; atomicExch(mem,1); } out[TID]=1; }
}

// found: d42_match
namespace d42_match_ {
KERNEL(d42_match){ if(LANE<8){ u v; do v=vld(mem+64+LANE); while(__match_any_sync(0xff,v)!=0xff||!v); } else { F; atomicAdd(mem+64+(LANE&7),1); while(0); } out[TID]=1; }
}

// found: d43_redux
namespace d43_redux_ {
KERNEL(d43_redux){ if(LANE<8){ u s; do{ s=0; for(int d=4;d;d>>=1) s+=__shfl_xor_sync(0xff,s+vld(mem+LANE),d); }while(s<8); } else { F; atomicAdd(mem+(LANE&7),1);} out[TID]=1; }
}

// found: d45_state_ret_struct
namespace d45_state_ret_struct_ {
struct St{ u v; int k; }; __device__ __noinline__ St get(u*m,St o){ St s; s.v=vld(m); s.k=o.k+1; return s; }
KERNEL(d45_state_ret_struct){ if(LANE==4) atomicExch(mem,1); else { St s{0,0}; do s=get(mem,s); while(!s.v); } out[TID]=1; }
}

// found: d46_three_level
namespace d46_three_level_ {
__device__ __noinline__ bool t3(u*m){ return vld(m)==0; } __device__ __noinline__ bool t2(u*m){ for(int i=0;i<3;i++) if(!t3(m)) return false; return true; } __device__ __noinline__ void t1(u*m){ while(t2(m)); }
KERNEL(d46_three_level){ if(LANE==4) atomicExch(mem,1); else t1(mem); out[TID]=1; }
}

// found: d48_bounded_rec_loop
namespace d48_bounded_rec_loop_ {
__device__ __noinline__ bool rr(u*m,int d){ if(d==0) return vld(m)!=0; return rr(m,d-1)||rr(m,d-1); }
KERNEL(d48_bounded_rec_loop){ if(LANE==4) atomicExch(mem,1); else while(!rr(mem,2)); out[TID]=1; }
}

// found: d49_printf_assert
namespace d49_printf_assert_ {
#include <cassert>
KERNEL(d49_printf_assert){ while(atomicCAS(mem,0,1)) assert(n==5); F; int v=vld(out); assert(v>=0); vst(out,v+1); F; atomicExch(mem,0); }
}

// found: d50_duff
namespace d50_duff_ {
KERNEL(d50_duff){ int k=n&3; switch(k){ case 0: do{ if(!atomicCAS(mem,0,1)) break; case 3: if(!atomicCAS(mem,0,1)) break; case 2: if(!atomicCAS(mem,0,1)) break; case 1: if(!atomicCAS(mem,0,1)) break; }while(1);} F; vst(out,vld(out)+1); F; atomicExch(mem,0); }
}

// found: d51_two_locks_try
namespace d51_two_locks_try_ {
KERNEL(d51_two_locks_try){ u a=TID%5,b=(TID+1)%5; for(;;){ while(atomicCAS(mem+a,0,1)); if(!atomicCAS(mem+b,0,1)) break; atomicExch(mem+a,0); u t=a;a=b;b=t; __nanosleep(TID*3); } F; vst(out+a,vld(out+a)+1); vst(out+b,vld(out+b)+1); F; atomicExch(mem+a,0); atomicExch(mem+b,0); }
}

// found: d52_apart_meets
namespace d52_apart_meets_ {
// a store in the loop meets what it reads: puts back what freed it
__device__ __forceinline__ void body(u*q,u*r){ while(vld(q)<100){ vst(r,0u); u f=vld(q+1000); if(f) { atomicExch(q,100); } } }
KERNEL(d52_apart_meets){ if(LANE==4){ F; atomicExch(mem+1500+TID-4-0*n,1); } else if(LANE==5) { body(mem+500+TID-5,mem+500+TID-n); } out[TID]=1; }
}

// found: d53_cnt_in_mem_all
namespace d53_cnt_in_mem_all_ {
// counts in memory up, but only lanes behind the loop do
KERNEL(d53_cnt_in_mem_all){ while(1){ u c=vld(mem); if(c>=LANE) break; if(c==LANE+1000) atomicAdd(mem,1); } F; atomicAdd(mem,1); out[TID]=1; }
}

// found: d54_cas_cnt
namespace d54_cas_cnt_ {
KERNEL(d54_cas_cnt){ while(1){ u c=vld(mem); if(c>=threadIdx.x) break; if(c&0x80000000u) atomicCAS(mem,c,c+1); } F; atomicAdd(mem,1); out[TID]=1; }
}

// found: d55_desc_help_wrong
namespace d55_desc_help_wrong_ {
// "helps" an announced operation, but at the wrong expected value
KERNEL(d55_desc_help_wrong){ for(;;){ u s=vld(mem); if(!(s&1)){ if(atomicCAS(mem,s,s|1)==s) break; } else atomicCAS(mem,s^2,s&~1u); } F; vst(out,vld(out)+1); F; atomicAdd(mem,3); }
}

// found: d57_lockbit_in_node
namespace d57_lockbit_in_node_ {
KERNEL(d57_lockbit_in_node){ u*p=mem+(TID&3); u o; do{ o=vld(p)&0x7fffffffu; }while(atomicCAS(p,o,o|0x80000000u)!=o); F; vst(p,o+2); atomicAdd(out,1); }
}

// found: d58_ver_lock_cas
namespace d58_ver_lock_cas_ {
KERNEL(d58_ver_lock_cas){ u o; for(;;){ o=vld(mem); if(o&1) { __nanosleep(30); continue; } if(atomicCAS(mem,o,o+1)==o) break; } F; vst(out,vld(out)+1); F; atomicAdd(mem,1); }
}

// found: d59_xor_lock
namespace d59_xor_lock_ {
KERNEL(d59_xor_lock){ while(atomicOr(mem,1)&1); F; vst(out,vld(out)+1); F; atomicXor(mem,1); }
}

// found: d60_epoch_wait
namespace d60_epoch_wait_ {
KERNEL(d60_epoch_wait){ u e=vld(mem); if(atomicAdd(mem+1,1)%NT==NT-1) atomicAdd(mem,1); else { while(vld(mem)==e && vld(mem)==0); } out[TID]=1; }
}

// found: h01_vol_limit
namespace h01_vol_limit_ {
KERNEL(h01_vol_limit){ volatile int lim=10; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<lim;i++) if(!vld(mem)) lim=lim+1; } out[TID]=1; }
}

// found: h02_vol_counter
namespace h02_vol_counter_ {
KERNEL(h02_vol_counter){ volatile int i; if(LANE==4) atomicExch(mem,1); else { for(i=0;i<50;i=i+1) if(!vld(mem)) i=0; } out[TID]=1; }
}

// found: h03_vol_arr_limit
namespace h03_vol_arr_limit_ {
KERNEL(h03_vol_arr_limit){ volatile int e[4]; for(int i=0;i<4;i++) e[i]=10; int w=(n+TID)&3; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<e[w];i++) if(!vld(mem)) e[w]=i+10; } out[TID]=1; }
}

// found: h04_ref_limit
namespace h04_ref_limit_ {
__device__ void mv(int&l,int i,u*m){ if(!vld(m)) l=i+10; }
KERNEL(h04_ref_limit){ int lim=10; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<lim;i++) mv(lim,i,mem); } out[TID]=1; }
}

// found: h05_struct_limit
namespace h05_struct_limit_ {
struct Rg{ int b,e; __device__ bool more()const{ return b<e; } __device__ void next(){ b++; } __device__ void grow(int k){ e+=k; } };
KERNEL(h05_struct_limit){ Rg r{0,10}; if(LANE==4) atomicExch(mem,1); else { while(r.more()){ if(!vld(mem)) r.grow(1); r.next(); } } out[TID]=1; }
}

// found: h06_iter_limit
namespace h06_iter_limit_ {
struct It{ int v; __device__ It&operator++(){ ++v; return *this; } __device__ bool operator!=(const It&o)const{ return v!=o.v; } };
struct Cx{ int n; __device__ It begin(){ return It{0}; } __device__ It end(){ return It{n}; } };
KERNEL(h06_iter_limit){ Cx c{10}; if(LANE==4) atomicExch(mem,1); else { for(It i=c.begin();i!=c.end();++i) if(!vld(mem)) c.n++; } out[TID]=1; }
}

// found: h07_vec_limit
namespace h07_vec_limit_ {
struct Vec{ int d[16]; int n; __device__ void push(int x){ d[n&15]=x; n++; } };
KERNEL(h07_vec_limit){ Vec v; v.n=0; v.push(1); if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<v.n;i++) if(!vld(mem)) v.push(v.d[i&15]); } out[TID]=1; }
}

// found: h08_ptrptr_limit
namespace h08_ptrptr_limit_ {
KERNEL(h08_ptrptr_limit){ int l=10; int*p=&l; int**pp=&p; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<**pp;i++) if(!vld(mem)) **pp=i+2; } out[TID]=1; }
}

// found: h09_arr2_idx_ptr
namespace h09_arr2_idx_ptr_ {
KERNEL(h09_arr2_idx_ptr){ int e[8]; for(int i=0;i<8;i++) e[i]=5; int*p=e+((n+TID)&7); if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<*p;i++) if(!vld(mem)) ++*p; } out[TID]=1; }
}

// found: h10_arr_swap
namespace h10_arr_swap_ {
KERNEL(h10_arr_swap){ int e[2]={5,0}; int k=n&1; if(LANE==4) atomicExch(mem,1); else { while(e[k]<20){ e[k]++; if(e[k]==20&&!vld(mem)) { e[k^1]=0; k^=1; } } } out[TID]=1; }
}

// found: h11_arr_flagbit
namespace h11_arr_flagbit_ {
KERNEL(h11_arr_flagbit){ bool stop[4]={false,false,false,false}; int w=(n+TID)&3; if(LANE==4) atomicExch(mem,1); else { for(int i=0;!stop[w];i++) stop[(w+i)&3]=vld(mem)!=0; } out[TID]=1; }
}

// found: h12_arr_dec
namespace h12_arr_dec_ {
KERNEL(h12_arr_dec){ int r[4]={9,9,9,9}; int w=(n+TID)&3; if(LANE==4) atomicExch(mem,1); else { while(r[w]-->0) if(!vld(mem)) r[w]+=1; } out[TID]=1; }
}

// found: h13_arr_dec2
namespace h13_arr_dec2_ {
KERNEL(h13_arr_dec2){ int r[4]={9,9,9,9}; int w=(n+TID)&3; if(LANE==4) atomicExch(mem,1); else { for(int k=r[w];k>0;k=r[w]) r[w]=k-(vld(mem)?1:0); } out[TID]=1; }
}

// found: h14_memset_limit
namespace h14_memset_limit_ {
KERNEL(h14_memset_limit){ int e[8]; memset(e,0,32); int w=(n+TID)&7; e[w]=4; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<e[w];i++) if(!vld(mem)) { memset(e,0,32); e[w]=i+4; } } out[TID]=1; }
}

// found: h15_struct_copy
namespace h15_struct_copy_ {
struct Q4{ int a[4]; };
KERNEL(h15_struct_copy){ Q4 q[2]; for(int i=0;i<4;i++) q[0].a[i]=q[1].a[i]=5; int w=(n+TID)&3; if(LANE==4) atomicExch(mem,1); else { for(int i=0;i<q[0].a[w];i++) if(!vld(mem)) { q[1].a[w]=i+5; q[0]=q[1]; } } out[TID]=1; }
}

// found: h16_limit_shared_other
namespace h16_limit_shared_other_ {
// limit in shared memory moved by a neighbour lane in the same loop
KERNEL(h16_limit_shared_other){ __shared__ int e[64]; e[threadIdx.x]=10; __syncthreads(); if(LANE==4||LANE==5){ if(LANE==4) atomicExch(mem,1); } else { for(int i=0;i<vld(e+threadIdx.x);i++) if(!vld(mem)) vst(e+(threadIdx.x^1),i+10); } out[TID]=1; }
}

// found: h17_limit_global_other_lane
namespace h17_limit_global_other_lane_ {
KERNEL(h17_limit_global_other_lane){ u*e=mem+300; if(!TID) vst(e,10u); __syncthreads(); if(LANE==4) atomicExch(mem,1); else { for(u i=0;i<vld(e);i++) if(!vld(mem)) atomicMax(e,i+10); } out[TID]=1; }
}

// found: h18_limit_far_param_word
namespace h18_limit_far_param_word_ {
// the limit is a word that a lane behind the loop pulls down
KERNEL(h18_limit_far_param_word){ u*e=mem+300; if(!TID) vst(e,0x7fffffffu); __syncthreads(); if(LANE==4){ F; vst(e,0u); } else { for(u i=0;i<vld(e);i++); } out[TID]=1; }
}

// found: h21_tid_bound
namespace h21_tid_bound_ {
KERNEL(h21_tid_bound){ u big=TID*0x1000000u+0x100000u; if(LANE==4){ F; vst(mem,1u); } else { for(u i=0;i<big;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: h22_bound_shl_tid
namespace h22_bound_shl_tid_ {
KERNEL(h22_bound_shl_tid){ u big=1u<<(20+(TID&7)); if(LANE==4){ F; vst(mem,1u); } else { for(u i=0;i<big;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: h25_bound_dev_var
namespace h25_bound_dev_var_ {
__device__ u LIMV=1u<<30;
KERNEL(h25_bound_dev_var){ if(LANE==4){ F; vst(mem,1u); } else { for(u i=0;i<LIMV;i++) if(vld(mem)) break; } out[TID]=1; }
}

// found: h27_trap_behind
namespace h27_trap_behind_ {
KERNEL(h27_trap_behind){ u t=0; if(LANE==4){ F; vst(mem,1u); } else { while(!vld(mem)) if(++t==(1u<<31)) asm volatile("trap;"); } out[TID]=1; }
}

// found: h28_brkpt_timeout_param
namespace h28_brkpt_timeout_param_ {
KERNEL(h28_brkpt_timeout_param){ u t=0; if(LANE==4){ F; vst(mem,1u); } else { while(!vld(mem)) if(++t==(u)n*100000000u) return; } out[TID]=1; }
}

// found: h29_clock_timeout_trap
namespace h29_clock_timeout_trap_ {
KERNEL(h29_clock_timeout_trap){ long long s=clock64(); if(LANE==4){ F; vst(mem,1u); } else { while(!vld(mem)) if(clock64()-s>100000000000ll) __trap(); } out[TID]=1; }
}

// found: h30_globaltimer_timeout
namespace h30_globaltimer_timeout_ {
__device__ __forceinline__ ull gt(){ ull t; asm volatile("mov.u64 %0,%%globaltimer;":"=l"(t)); return t; }
KERNEL(h30_globaltimer_timeout){ ull s=gt(); if(LANE==4){ F; vst(mem,1u); } else { while(!vld(mem)&&gt()-s<10000000000000ull); } out[TID]=1; }
}
