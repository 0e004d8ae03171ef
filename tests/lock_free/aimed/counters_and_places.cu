// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.
// Counters that begin anew, steps that pass their end, swaps elsewhere than where was read, and lists that end in themselves.

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

// found: b01_countup_reset_at_end
namespace b01_countup_reset_at_end_ {
__device__ u flag;
BEHIND(b01_countup_reset_at_end, u i=0; while(i<10){ i++; if(i==10&&!LOOK(flag)) i=0; } r=i; , LOOK(flag)=1; )
}

// found: b02_count64_reset
namespace b02_count64_reset_ {
__device__ ull flag;
ELSE(b02_count64_reset, ull i=5; while(i){ i--; if(i==0) i=LOOK_WIDE(flag)?0:5; } r=1; , LOOK_WIDE(flag)=1; )
}

// found: b03_count_reset_mem
namespace b03_count_reset_mem_ {
__device__ u rel=10;
BEHIND(b03_count_reset_mem, u i=10; while(i){ if(--i==0) i=LOOK(rel); } r=1; , LOOK(rel)=0; )
}

// found: b04_count_reset_atomic
namespace b04_count_reset_atomic_ {
__device__ u rel=10;
BEHIND(b04_count_reset_atomic, u i=10; while(i){ if(--i==0) i=atomicAdd(&rel,0); } r=1; , atomicExch(&rel,0); )
}

// found: b05_count_reset_shared
namespace b05_count_reset_shared_ {
extern "C" __global__ void b05_count_reset_shared(u*m,u*out){ __shared__ u rel; u lane=threadIdx.x; if(!lane) rel=3; __syncthreads();
 u i=3; while(lane&&i){ i--; if(!i) i=LOOK(rel); } out[lane]=1; if(!lane) LOOK(rel)=0; }
}

// found: b06_sat_counter
namespace b06_sat_counter_ {
__device__ u cap=5;
BEHIND(b06_sat_counter, u i=0; while(i<10){ i=min(i+1,LOOK(cap)); } r=i; , LOOK(cap)=20; )
}

// found: b07_sat_select
namespace b07_sat_select_ {
__device__ u cap=5;
BEHIND(b07_sat_select, u i=0; while(i<10){ u c=LOOK(cap); i++; i=i>c?c:i; } r=i; , LOOK(cap)=20; )
}

// found: b08_step2_parity_atomic
namespace b08_step2_parity_atomic_ {
__device__ u c;
BEHIND(b08_step2_parity_atomic, while(!(atomicAdd(&c,2)&1)){} r=1; , atomicAdd(&c,1); )
}

// found: b09_step2_neq_end
namespace b09_step2_neq_end_ {
__device__ u end_=7;
BEHIND(b09_step2_neq_end, u i=0; while(i!=LOOK(end_)){ i+=2; i&=15; } r=1; , LOOK(end_)=8; )
}

// found: b11_xor_toggle
namespace b11_xor_toggle_ {
__device__ u x,t=2;
BEHIND(b11_xor_toggle, while(atomicXor(&x,1)!=LOOK(t)){} r=1; , LOOK(t)=1; )
}

// found: b12_u8_wrap
namespace b12_u8_wrap_ {
__device__ u n=300;
BEHIND(b12_u8_wrap, unsigned char i=0; while(i<LOOK(n)) i++; r=1; , LOOK(n)=200; )
}

// found: b13_mod_ring_target
namespace b13_mod_ring_target_ {
__device__ u t=8;
BEHIND(b13_mod_ring_target, u i=0; while(i!=LOOK(t)) i=(i+1)&7; r=1; , LOOK(t)=5; )
}

// found: b14_zigzag
namespace b14_zigzag_ {
__device__ u flag;
BEHIND(b14_zigzag, int i=0; int d=1; while(i<10){ i+=d; if(i==9&&!LOOK(flag)) d=-1; if(i==0) d=1; } r=i; , LOOK(flag)=1; )
}

// found: b15_ptr_end_reset
namespace b15_ptr_end_reset_ {
__device__ u a[8]; __device__ u flag;
BEHIND(b15_ptr_end_reset, u*p=a; u s=0; while(p!=a+8){ s+=LOOK(*p); p++; if(p==a+8 && !LOOK(flag)) p=a; } r=1; , LOOK(flag)=1; )
}

// found: b16_cas_other_addr
namespace b16_cas_other_addr_ {
__device__ u a=1,b=2;
BEHIND(b16_cas_other_addr, u o; do{ o=LOOK(a); }while(atomicCAS(&b,o,o)!=o); r=1; , LOOK(b)=1; )
}

// found: b17_cas_addr_by_index
namespace b17_cas_addr_by_index_ {
__device__ u a[2]={1,2},sel=1;
BEHIND(b17_cas_addr_by_index, u o; do{ o=LOOK(a[0]); }while(atomicCAS(&a[LOOK(sel)],o,o)!=o); r=1; , LOOK(sel)=0; )
}

// found: b18_cas_own_byte_store
namespace b18_cas_own_byte_store_ {
__device__ u c,on=1;
BEHIND(b18_cas_own_byte_store, u o; do{ o=LOOK(c); ((volatile unsigned char*)&c)[1]=(o>>8)+LOOK(on); }while(atomicCAS(&c,o,o+1)!=o); r=1; , LOOK(on)=0; )
}

// found: b19_cas_until_fails
namespace b19_cas_until_fails_ {
__device__ u c=1;
BEHIND(b19_cas_until_fails, u o=1; while(atomicCAS(&c,o,o)==o){} r=1; , LOOK(c)=2; )
}

// found: b20_cas_width
namespace b20_cas_width_ {
__device__ ull c=0x100000000ull;
BEHIND(b20_cas_width, ull o; do{ o=*(volatile u*)&c; }while(atomicCAS(&c,o,o)!=o); r=1; , ((volatile u*)&c)[1]=0; )
}

// found: b21_cas_ptr_param_alias
namespace b21_cas_ptr_param_alias_ {
extern "C" __global__ void b21_cas_ptr_param_alias(u*m,u*out){ u lane=threadIdx.x; if(lane){ u o; do{ o=LOOK(m[0]); LOOK(out[63])=o+1-LOOK(m[1]); }while(atomicCAS((u*)m,LOOK(out[63]),o)!=LOOK(out[63])); } else LOOK(m[1])=1; out[lane]=1; }
}

// found: b22_inc_mod_target
namespace b22_inc_mod_target_ {
__device__ u c,t=9;
BEHIND(b22_inc_mod_target, while(atomicInc(&c,7)!=LOOK(t)){} r=1; , LOOK(t)=3; )
}

// found: b23_dec_target
namespace b23_dec_target_ {
__device__ u c=3,t=9;
BEHIND(b23_dec_target, while(atomicDec(&c,3)!=LOOK(t)){} r=1; , LOOK(t)=2; )
}

// found: b24_helping_cycle
namespace b24_helping_cycle_ {
__device__ u x=1;
BEHIND(b24_helping_cycle, u d; while((d=LOOK(x))!=0&&d<100){ atomicCAS(&x,d,d==1?2:1); } r=1; , atomicExch(&x,100); )
}

// found: b25_helping_cycle_next
namespace b25_helping_cycle_next_ {
__device__ u x=1,nx[4]={0,2,3,1};
BEHIND(b25_helping_cycle_next, u d; while((d=LOOK(x))!=0){ atomicCAS(&x,d,LOOK(nx[d&3])); } r=1; , LOOK(nx[2])=0; )
}

// found: b26_mpmc_ahead
namespace b26_mpmc_ahead_ {
__device__ u sq[4]={4,1,2,3},tail=0;
BEHIND(b26_mpmc_ahead, for(;;){ u t=LOOK(tail); u s=LOOK(sq[t&3]); int d=(int)(s-t); if(d==0){ if(atomicCAS(&tail,t,t+1)==t) break; } else if(d<0){ r=2; break; } } r=1; , LOOK(tail)=1; )
}

// found: b28_help_wrong_cell
namespace b28_help_wrong_cell_ {
__device__ u desc=5,other;
BEHIND(b28_help_wrong_cell, u d; while((d=LOOK(desc))!=0){ u o=LOOK(other); atomicCAS(&other,o,o+1); } r=1; , LOOK(desc)=0; )
}

// found: b30_vote_part_mask
namespace b30_vote_part_mask_ {
__device__ u flag;
BEHIND(b30_vote_part_mask, while(__any_sync(0xfffffffeu,!LOOK(flag))){} r=1; , LOOK(flag)=1; )
}

// found: b31_2d_block
namespace b31_2d_block_ {
//BLK 16,2
__device__ u flag;
extern "C" __global__ void b31_2d_block(u*m,u*out){ if(threadIdx.y==0){ u i=0; while(i<4) i+=LOOK(flag); } else LOOK(flag)=1; out[threadIdx.y*16+threadIdx.x]=1; }
}

// found: b32_halfwarp_role
namespace b32_halfwarp_role_ {
__device__ u flag;
extern "C" __global__ void b32_halfwarp_role(u*m,u*out){ u w=threadIdx.x>>4; if(w==0){ for(u t=8;t;){ t--; if(!t) t=LOOK(flag)?0:8; } } else LOOK(flag)=1; out[threadIdx.x]=1; }
}

// found: b33_cpasync_copy
namespace b33_cpasync_copy_ {
__device__ u flag[4];
extern "C" __global__ void b33_cpasync_copy(u*m,u*out){ __shared__ u buf[32*4]; u lane=threadIdx.x; u a=(u)__cvta_generic_to_shared(&buf[lane*4]); buf[lane*4]=0;
 if(lane){ do{ asm volatile("cp.async.ca.shared.global [%0],[%1],16; cp.async.wait_all;"::"r"(a),"l"(flag):"memory"); }while(LOOK(buf[lane*4])==0); } out[lane]=1; if(!lane) LOOK(flag[0])=1; }
}

// found: b34_mbarrier_try
namespace b34_mbarrier_try_ {
extern "C" __global__ void b34_mbarrier_try(u*m,u*out){ __shared__ ull bar; u lane=threadIdx.x; u a=(u)__cvta_generic_to_shared(&bar); if(!lane) asm volatile("mbarrier.init.shared.b64 [%0],1;"::"r"(a):"memory"); __syncthreads();
 if(lane){ u ok; do{ asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p,[%1],0; selp.u32 %0,1,0,p;}":"=r"(ok):"r"(a):"memory"); }while(!ok); } out[lane]=1;
 if(!lane){ ull s; asm volatile("mbarrier.arrive.shared.b64 %0,[%1];":"=l"(s):"r"(a):"memory"); } }
}

// found: b35_activemask
namespace b35_activemask_ {
__device__ u flag;
BEHIND(b35_activemask, u i=0; while(i<4){ u mk=__match_any_sync(__activemask(),LOOK(flag)); if(LOOK(flag)&&mk) i++; } r=1; , LOOK(flag)=1; )
}

// found: b38_fnptr
namespace b38_fnptr_ {
__device__ u flag;
__device__ __noinline__ u s1(u i){ return i-1; } __device__ __noinline__ u s2(u i){ return LOOK(flag)?i-1:10; }
typedef u(*F)(u); __device__ F tab[2]={s1,s2};
BEHIND(b38_fnptr, u i=10; while(i){ i=tab[i==1](i); } r=1; , LOOK(flag)=1; )
}

// found: b40_cnt_mem_private
namespace b40_cnt_mem_private_ {
__device__ u cnt[32],flag;
BEHIND(b40_cnt_mem_private, while(LOOK(cnt[lane])<10){ LOOK(cnt[lane])=LOOK(cnt[lane])+1; if(LOOK(cnt[lane])==10&&!LOOK(flag)) LOOK(cnt[lane])=0; } r=1; , LOOK(flag)=1; )
}

// found: b41_cnt_atomic_private_reset
namespace b41_cnt_atomic_private_reset_ {
__device__ u cnt[32],flag;
BEHIND(b41_cnt_atomic_private_reset, while(atomicAdd(&cnt[lane],1)<10){ if(!LOOK(flag)) atomicExch(&cnt[lane],0); } r=1; , LOOK(flag)=1; )
}

// found: b42_shared_cnt_atomicsub
namespace b42_shared_cnt_atomicsub_ {
__device__ u cnt,flag;
BEHIND(b42_shared_cnt_atomicsub, while(atomicAdd(&cnt,1)<100){ if(!LOOK(flag)) atomicAdd(&cnt,-1u); } r=1; , LOOK(flag)=1; )
}

// found: b43_max_capped
namespace b43_max_capped_ {
__device__ u mx,cap=5;
BEHIND(b43_max_capped, u i=0; while(atomicMax(&mx,i)<10){ i++; i=min(i,LOOK(cap)); } r=1; , LOOK(cap)=50; )
}

// found: b44_or_bits_never
namespace b44_or_bits_never_ {
__device__ u bits,sel;
BEHIND(b44_or_bits_never, u o=0; do{ o=atomicOr(&bits,1u<<(LOOK(sel)&31)); }while(!(o&16)); r=1; , LOOK(sel)=4; )
}

// found: b45_and_clear
namespace b45_and_clear_ {
__device__ u bits=0xff,msk=0xff;
BEHIND(b45_and_clear, while(atomicAnd(&bits,LOOK(msk))!=0){} r=1; , LOOK(msk)=0; )
}

// assumed: b46_list_self_shared
namespace b46_list_self_shared_ {
extern "C" __global__ void b46_list_self_shared(u*m,u*out){ __shared__ u nx[33]; u lane=threadIdx.x; nx[lane]=lane; if(!lane) nx[32]=0; __syncthreads();
 u p=lane; while(p!=0){ p=atomicAdd(&nx[p],0); } out[lane]=1; if(!lane) for(u i=1;i<32;i++) atomicExch(&nx[i],0); }
}

// assumed: b47_list_ptr64
namespace b47_list_ptr64_ {
struct N{N*n;u v;}; __device__ N a,b,e;
extern "C" __global__ void b47_list_ptr64(u*m,u*out){ u lane=threadIdx.x; if(!lane){ a.n=&b; b.n=&a; e.n=0; } __syncthreads();
 N*p=&a; while(lane && p){ p=(N*)LOOK_WIDE(p->n); } out[lane]=1; if(!lane){ LOOK_WIDE(b.n)=(ull)0; } }
}

// found: b48_list_sum_find
namespace b48_list_sum_find_ {
struct N{N*n;u v;}; __device__ N a,b;
extern "C" __global__ void b48_list_sum_find(u*m,u*out){ u lane=threadIdx.x; if(!lane){ a.n=&b; b.n=&a; a.v=1;b.v=2; } __syncthreads();
 N*p=&a; while(lane && LOOK(p->v)!=7){ p=(N*)LOOK_WIDE(p->n); } out[lane]=1; if(!lane){ LOOK(b.v)=7; } }
}

// assumed: b49_uf_cycle
namespace b49_uf_cycle_ {
__device__ u par[4]={1,2,0,3};
BEHIND(b49_uf_cycle, u x=0; u p; while((p=LOOK(par[x]))!=x){ u g=LOOK(par[p]); atomicCAS(&par[x],p,p); x=p; (void)g; } r=1; , LOOK(par[1])=1; )
}

// assumed: b50_uf_find_cycle_halve
namespace b50_uf_find_cycle_halve_ {
__device__ u par[5]={1,2,3,0,4};
BEHIND(b50_uf_find_cycle_halve, u x=0; for(;;){ u p=LOOK(par[x]); u g=LOOK(par[p]); if(p==g) break; if(g!=p&&p>9) atomicCAS(&par[x],p,g); x=p; } r=1; , LOOK(par[2])=2; LOOK(par[0])=2; LOOK(par[1])=2; LOOK(par[3])=2; )
}

// found: b51_mcs_unlock_next
namespace b51_mcs_unlock_next_ {
__device__ ull nx[2]; 
BEHIND(b51_mcs_unlock_next, ull n; while((n=LOOK_WIDE(nx[0]))==0){ if(atomicCAS(&nx[1],1ull,0ull)==1ull) break; } r=1; , LOOK_WIDE(nx[0])=3; )
}

// found: b52_flat_comb
namespace b52_flat_comb_ {
__device__ u lk,req[32],done_[32];
extern "C" __global__ void b52_flat_comb(u*m,u*out){ u lane=threadIdx.x; LOOK(req[lane])=1; u own=0; for(;;){ if(LOOK(done_[lane])) break; if(LOOK(lk)==0&&atomicCAS(&lk,0,1)==0){ own=1; break; } } if(own){ for(u i=0;i<32;i++) if(LOOK(req[i])){ LOOK(done_[i])=1; } __threadfence(); LOOK(lk)=0; } out[lane]=1; }
}

// found: b53_elim_partner
namespace b53_elim_partner_ {
__device__ u ex[2];
BEHIND(b53_elim_partner, u got=0; while(!got){ u o=LOOK(ex[0]); if(o==0){ if(atomicCAS(&ex[0],0,lane)==0){ for(u t=0;t<5&&!got;t++) if(LOOK(ex[1])) got=1; if(!got) atomicCAS(&ex[0],lane,0); else LOOK(ex[0])=0; } } } r=1; , LOOK(ex[1])=1; )
}

// found: b55_xchg_ctr
namespace b55_xchg_ctr_ {
__device__ ull ctr;
BEHIND(b55_xchg_ctr, ull o; do{ o=atomicAdd(&ctr,1ull<<32); }while((u)o==0); r=1; , atomicAdd(&ctr,1ull); )
}

// found: b56_addr_bump
namespace b56_addr_bump_ {
__device__ u arr[64];
BEHIND(b56_addr_bump, u i=0; while(LOOK(arr[i&63])==0){ i+=LOOK(arr[63])+1; } r=1; , for(u i=0;i<64;i++) LOOK(arr[i])=1; )
}

// found: b57_work_remaining
namespace b57_work_remaining_ {
__device__ u rem=32;
BEHIND(b57_work_remaining, while(LOOK(rem)>31u-0u*lane){ } r=1; , atomicSub(&rem,1); )
}

// found: b58_dispatch_goto
namespace b58_dispatch_goto_ {
__device__ u flag;
BEHIND(b58_dispatch_goto, u i=0; u s=0; A: if(s==0){ i++; s=1; goto B; } goto A2; B: if(i<8) { s=0; if(i==7&&!LOOK(flag)) i=0; goto A; } A2: r=i; , LOOK(flag)=1; )
}

// found: b59_ctz_table
namespace b59_ctz_table_ {
__device__ u msk;
BEHIND(b59_ctz_table, u t=0xf0; while(t){ u b=t&-t; if(b==0x80u) b&=LOOK(msk); t^=b; } r=1; , LOOK(msk)=~0u; )
}

// found: b60_binary_search
namespace b60_binary_search_ {
__device__ u key[16],fix;
BEHIND(b60_binary_search, u lo=0; u hi=16; while(lo<hi){ u mid=(lo+hi)/2; if(LOOK(key[mid])<5) lo=mid+LOOK(fix); else hi=mid; } r=1; , LOOK(fix)=1; )
}

// found: b61_div_shrink
namespace b61_div_shrink_ {
__device__ u d=1;
BEHIND(b61_div_shrink, u x=1000; while(x>1) x/=LOOK(d); r=1; , LOOK(d)=10; )
}

// found: b62_sub_shrink
namespace b62_sub_shrink_ {
__device__ u d;
BEHIND(b62_sub_shrink, u x=1000; while(x>=10) x-=min(LOOK(d),x); r=1; , LOOK(d)=10; )
}

// found: b63_claim_scan_reset
namespace b63_claim_scan_reset_ {
__device__ u slot[8]={1,1,1,1,1,1,1,1};
BEHIND(b63_claim_scan_reset, for(u i=0;i<8;i++){ if(LOOK(slot[i])==0 ) break; if(i==7) i=~0u; } r=1; , LOOK(slot[4])=0; )
}
