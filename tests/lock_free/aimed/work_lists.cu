// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.
// Limits, work lists that put back what is not ready, budgets that are filled up again, and swaps of parts.

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

// found: e01_limit_shared_word
namespace e01_limit_shared_word_ {
__device__ u lim=8,f;
extern "C" __global__ void e01_limit_shared_word(u*m,u*out){ if(threadIdx.x){ for(u i=0;i<LOOK(lim);i++) if(!LOOK(f)) LOOK(lim)=i+9; } else LOOK(f)=1; }
}

// found: e05_worklist_requeue
namespace e05_worklist_requeue_ {
__device__ u rdy[8];
extern "C" __global__ void e05_worklist_requeue(u*m,u*out){ u lane=threadIdx.x; u q[16]; u h=0; u t=8; for(u i=0;i<8;i++) q[i]=i; if(lane) while(h!=t){ u x=q[h&15]; h++; if(!LOOK(rdy[x])){ q[t&15]=x; t++; } } out[lane]=h&0; if(!lane) for(u i=0;i<8;i++) LOOK(rdy[i])=1; }
}

// found: e06_worklist_requeue_shared
namespace e06_worklist_requeue_shared_ {
__device__ u rdy[8];
extern "C" __global__ void e06_worklist_requeue_shared(u*m,u*out){ __shared__ u q[32][16],t[32]; u lane=threadIdx.x; u h=0; t[lane]=8; for(u i=0;i<8;i++) q[lane][i]=i; if(lane) while(h<LOOK(t[lane])){ u x=LOOK(q[lane][h&15]); h++; if(!LOOK(rdy[x])){ LOOK(q[lane][t[lane]&15])=x; LOOK(t[lane])=t[lane]+1; } } out[lane]=h&0; if(!lane) for(u i=0;i<8;i++) LOOK(rdy[i])=1; }
}

// assumed: e08_worklist_head_claim
namespace e08_worklist_head_claim_ {
__device__ u rdy,q[4096],hd,tail=64;
extern "C" __global__ void e08_worklist_head_claim(u*m,u*out){ u lane=threadIdx.x; if(lane){ for(;;){ u h=atomicAdd(&hd,1); if(h>=LOOK(tail)) break; if(!LOOK(rdy)){ atomicAdd(&tail,1); } } } else LOOK(rdy)=1; }
}

// found: e09_stack_push_back
namespace e09_stack_push_back_ {
__device__ u rdy;
extern "C" __global__ void e09_stack_push_back(u*m,u*out){ u lane=threadIdx.x; u st[8]; int sp=3; st[0]=st[1]=st[2]=lane&1; if(lane) while(sp>0){ sp--; u x=st[sp]; if(!LOOK(rdy)){ st[sp]=x; sp++; } } out[lane]=sp; if(!lane) LOOK(rdy)=1; }
}

// found: e10_budget_refill
namespace e10_budget_refill_ {
__device__ u rdy;
extern "C" __global__ void e10_budget_refill(u*m,u*out){ u lane=threadIdx.x; int b=16; if(lane) while(b>0){ b-=2; if(!LOOK(rdy)) b+=2; } out[lane]=b; if(!lane) LOOK(rdy)=1; }
}

// found: e11_budget_refill_below
namespace e11_budget_refill_below_ {
__device__ u rdy;
extern "C" __global__ void e11_budget_refill_below(u*m,u*out){ int b=16; if(threadIdx.x) while(b>0){ b--; if(b<4&&!LOOK(rdy)) b=16; } else LOOK(rdy)=1; out[threadIdx.x]=1; }
}

// found: e12_reset_do_until
namespace e12_reset_do_until_ {
__device__ u rdy;
extern "C" __global__ void e12_reset_do_until(u*m,u*out){ u i=0; if(threadIdx.x) do{ i = i==3 ? (LOOK(rdy)?9:0) : i+1; }while(i!=9); else LOOK(rdy)=1; out[threadIdx.x]=1; }
}

// found: e13_reset_neg
namespace e13_reset_neg_ {
__device__ u rdy;
extern "C" __global__ void e13_reset_neg(u*m,u*out){ int i=-4; if(threadIdx.x) while(i<0){ i++; if(i==0&&!LOOK(rdy)) i=-4; } else LOOK(rdy)=1; out[threadIdx.x]=1; }
}

// found: e14_reset_other_const
namespace e14_reset_other_const_ {
__device__ u rdy;
extern "C" __global__ void e14_reset_other_const(u*m,u*out){ u i=0; if(threadIdx.x) while(i<8){ i+=2; if(i>=8&&!LOOK(rdy)) i=1; } else LOOK(rdy)=1; out[threadIdx.x]=1; }
}

// found: e15_reset_probe_table
namespace e15_reset_probe_table_ {
__device__ u tab[8]={1,2,3,4,5,6,7,8};
extern "C" __global__ void e15_reset_probe_table(u*m,u*out){ u lane=threadIdx.x; if(lane){ u left=8; u h=lane; while(left){ if(LOOK(tab[h&7])==0) break; h++; left--; if(!left) left=8; } } else LOOK(tab[5])=0; }
}

// found: e16_reset_hash_claim
namespace e16_reset_hash_claim_ {
__device__ u tab[32];
extern "C" __global__ void e16_reset_hash_claim(u*m,u*out){ u lane=threadIdx.x; u h=lane; if(lane==0) for(u i=0;i<32;i++) LOOK(tab[i])=99; __syncthreads(); if(lane){ u left=32; while(left){ left--; if(atomicCAS(&tab[h&31],0,lane+1)==0) break; h++; if(!left) left=32; } } else for(u i=0;i<32;i++) atomicExch(&tab[i],0); }
}

// assumed: e18_list_from_head
namespace e18_list_from_head_ {
__device__ u nx[8]={1,2,3,1,0,0,0,0};
extern "C" __global__ void e18_list_from_head(u*m,u*out){ if(threadIdx.x){ u p=LOOK(nx[0]); while(p) p=LOOK(nx[p]); } else LOOK(nx[3])=0; }
}

// assumed: e19_list_ptr_noinline
namespace e19_list_ptr_noinline_ {
struct N{N*n;}; __device__ N a;
__device__ __noinline__ N* nxt(N*p){ return (N*)LOOK_WIDE(p->n); }
extern "C" __global__ void e19_list_ptr_noinline(u*m,u*out){ N*p=&a; if(threadIdx.x==0) a.n=&a; __syncthreads(); if(threadIdx.x){ while(p) p=nxt(p); } else LOOK_WIDE(a.n)=0; }
}

// assumed: e20_list_idx_lock
namespace e20_list_idx_lock_ {
__device__ u own[33];
extern "C" __global__ void e20_list_idx_lock(u*m,u*out){ u lane=threadIdx.x; if(!lane) for(u i=0;i<33;i++) LOOK(own[i])=i; __syncthreads(); u p=lane; while(p){ p=LOOK(own[p]); } out[lane]=1; LOOK(own[(lane+1)&31])=lane; for(u i=1;i<32;i++) LOOK(own[i])=0; }
}

// found: e21_queue_spin_prev
namespace e21_queue_spin_prev_ {
__device__ u tail=32,nd[33]={0};
extern "C" __global__ void e21_queue_spin_prev(u*m,u*out){ u lane=threadIdx.x; LOOK(nd[lane])=lane+1; __syncthreads(); u p=atomicExch(&tail,lane); while(p!=32&&p!=100){ u n=LOOK(nd[p]); p=n>100?100:(n?n-1:p); } LOOK(m[0])=LOOK(m[0])+1; __threadfence(); LOOK(nd[lane])=101; }
}

// found: e22_desc_swap_two
namespace e22_desc_swap_two_ {
__device__ u d=5,v=6;
extern "C" __global__ void e22_desc_swap_two(u*m,u*out){ if(threadIdx.x){ u o; while((o=LOOK(d))>2){ atomicCAS(&d,o,LOOK(v)+(o&1)); } } else LOOK(v)=0; }
}

// found: e23_cas_min_new
namespace e23_cas_min_new_ {
__device__ u c=9,v=9;
extern "C" __global__ void e23_cas_min_new(u*m,u*out){ if(threadIdx.x){ u o; do{ o=LOOK(c); u n=min(o,LOOK(v)); atomicCAS(&c,o,n); }while(LOOK(c)>3); } else LOOK(v)=1; }
}

// found: e24_cas_max_new_loop
namespace e24_cas_max_new_loop_ {
__device__ u c=0,v=1;
extern "C" __global__ void e24_cas_max_new_loop(u*m,u*out){ if(threadIdx.x){ u o=LOOK(c); while(o<3){ u n=max(o,LOOK(v)); u x=atomicCAS(&c,o,n); o=x==o?n:x; } } else LOOK(v)=7; }
}

// found: e25_cas_bool_flag_low
namespace e25_cas_bool_flag_low_ {
__device__ u c=1;
extern "C" __global__ void e25_cas_bool_flag_low(u*m,u*out){ if(threadIdx.x){ u o,n; do{ o=LOOK(c); n=(o+2); }while(atomicCAS(&c,o,n)!=o||(n&1)); } else atomicAnd(&c,~1u); }
}

// found: e26_cas_expect_masked
namespace e26_cas_expect_masked_ {
__device__ u c=1;
extern "C" __global__ void e26_cas_expect_masked(u*m,u*out){ if(threadIdx.x){ u o; do{ o=LOOK(c)&~1u; }while(atomicCAS(&c,o,o+2)!=o); } else atomicAnd(&c,~1u); }
}

// found: e27_cas_local_then
namespace e27_cas_local_then_ {
__device__ u c=1,b=1;
extern "C" __global__ void e27_cas_local_then(u*m,u*out){ if(threadIdx.x){ volatile u o; do{ o=LOOK(c); o=o+LOOK(b); }while(atomicCAS(&c,o,5u)!=o); } else LOOK(b)=0; }
}

// assumed: e28_cas_array_alias
namespace e28_cas_array_alias_ {
__device__ u c[4];
extern "C" __global__ void e28_cas_array_alias(u*m,u*out){ u lane=threadIdx.x; if(lane){ u o; do{ o=LOOK(c[lane&1]); LOOK(c[LOOK(m[0])&1])=o+1-LOOK(m[1]); }while(atomicCAS(&c[lane&1],o,o)!=o&&LOOK(m[2])==0); } else { LOOK(m[1])=1; } LOOK(m[2])=1; }
}

// found: e29_cas16
namespace e29_cas16_ {
__device__ unsigned short c=1; __device__ u on=1;
extern "C" __global__ void e29_cas16(u*m,u*out){ if(threadIdx.x){ unsigned short o; do{ o=*(volatile unsigned short*)&c; ((volatile unsigned char*)&c)[1]=(o>>8)+LOOK(on); }while(atomicCAS(&c,o,o)!=o); } else LOOK(on)=0; }
}

// found: e30_own_atom_before_cas64
namespace e30_own_atom_before_cas64_ {
__device__ ull c; __device__ u on=1;
extern "C" __global__ void e30_own_atom_before_cas64(u*m,u*out){ if(threadIdx.x){ ull o; do{ o=LOOK_WIDE(c); atomicAdd((u*)&c+1,LOOK(on)); }while(atomicCAS(&c,o,o)!=o); } else LOOK(on)=0; }
}

// found: e31_exch_byte_claim
namespace e31_exch_byte_claim_ {
__device__ u c=1;
extern "C" __global__ void e31_exch_byte_claim(u*m,u*out){ if(threadIdx.x){ u i=0; while(i<4){ if(((volatile unsigned char*)&c)[0]==0) i=4; i&=7; } } else LOOK(c)=0x100; }
}

// found: e32_limit_vec
namespace e32_limit_vec_ {
__device__ uint2 w; 
extern "C" __global__ void e32_limit_vec(u*m,u*out){ if(threadIdx.x){ u i=0,n=4; do{ u a,b; asm volatile("ld.volatile.global.v2.u32 {%0,%1},[%2];":"=r"(a),"=r"(b):"l"(&w)); n+=1-b; i++; }while(i<n); } else LOOK(w.y)=1; }
}
