// Loops that look as if they waited for nobody, and wait for what another lane of their warp does: they hang on a reconvergence stack, and end where lanes go on by themselves.
// Things that move on only if a flag is up, or that others move.

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

// found: a01_idx_plus_flag
namespace a01_idx_plus_flag_ {
__device__ u flag;
BEHIND(a01_idx_plus_flag, u i=0; while(i<8){ i+=LOOK(flag)&1; } r=i; , LOOK(flag)=1; )
}

// found: a02_idx_step_table
namespace a02_idx_step_table_ {
__device__ u step[16];
BEHIND(a02_idx_step_table, u i=0; while(i<8){ i+=atomicAdd(&step[i],0); } r=i; , for(u i=0;i<8;i++) atomicExch(&step[i],1); )
}

// assumed: a03_list_walk_global
namespace a03_list_walk_global_ {
__device__ u nxt[64];
extern "C" __global__ void a03_list_walk_global(u*m,u*out){ u lane=threadIdx.x; nxt[lane]=lane; nxt[lane+32]=lane; __syncthreads();
 u p=lane+32; while(lane && p!=0){ p=LOOK(nxt[p]); } out[lane]=p; if(!lane) for(u i=1;i<32;i++) LOOK(nxt[i])=0; }
}

// assumed: a04_list_ring_marked
namespace a04_list_ring_marked_ {
__device__ u nxt[4]={1,2,3,0}; 
BEHIND(a04_list_ring_marked, u p=0; u v; do{ v=LOOK(nxt[p&3]); p=v; }while(!(v&4)); r=p; , LOOK(nxt[2])=7; )
}

// found: a05_link_reread_ptr
namespace a05_link_reread_ptr_ {
struct N{ N* n; u v; }; __device__ N pool[33];
extern "C" __global__ void a05_link_reread_ptr(u*m,u*out){ u lane=threadIdx.x; N* p=&pool[0]; u c=0;
 if(lane){ for(;;){ N* q=(N*)*(volatile ull*)&p->n; if(q) { p=q; c++; if(c==4) break; } } }
 out[lane]=p->v; if(!lane) for(u i=0;i<8;i++){ pool[i+1].v=i; *(volatile ull*)&pool[i].n=(ull)&pool[i+1]; } }
}

// found: a06_mask_bits
namespace a06_mask_bits_ {
__device__ u rdy[32];
BEHIND(a06_mask_bits, u t=0xffu; while(t){ u b=__ffs(t)-1; t&=~(LOOK(rdy[b])<<b); } r=7; , for(u i=0;i<8;i++) LOOK(rdy[i])=1; )
}

// found: a07_mask_popm1
namespace a07_mask_popm1_ {
__device__ u flag;
BEHIND(a07_mask_popm1, u t=0xffu; while(t){ t&=t-(atomicOr(&flag,0)&1); r++; } r=1; , atomicExch(&flag,1); )
}

// found: a08_cas_same_new
namespace a08_cas_same_new_ {
__device__ u flag,c;
BEHIND(a08_cas_same_new, u o;u n; do{ o=LOOK(c); n=o+LOOK(flag); if(atomicCAS(&c,o,n)!=o) n=o; }while(n==o); r=1; , LOOK(flag)=1; )
}

// found: a09_cas_with_own_bump
namespace a09_cas_with_own_bump_ {
__device__ u flag,c;
BEHIND(a09_cas_with_own_bump, u o; do{ o=LOOK(c); atomicAdd(&c,1-LOOK(flag)); }while(atomicCAS(&c,o,o+1)!=o); r=1; , LOOK(flag)=1; )
}

// found: a10_min_merge
namespace a10_min_merge_ {
__device__ u best=100,cur=50;
BEHIND(a10_min_merge, u o; do{ o=atomicMin(&best,LOOK(cur)); }while(o>10); r=1; , LOOK(cur)=5; )
}

// found: a11_max_merge_reg
namespace a11_max_merge_reg_ {
__device__ u cell[4];
BEHIND(a11_max_merge_reg, u b=0; while(b<9){ u x=LOOK(cell[lane&3]); b=max(b,x); } r=b; , for(u i=0;i<4;i++) LOOK(cell[i])=9; )
}

// found: a12_sem_giveback
namespace a12_sem_giveback_ {
__device__ u s;
BEHIND(a12_sem_giveback, for(;;){ u o=atomicAdd(&s,1); if(o>=64) break; atomicSub(&s,1); } r=1; , atomicAdd(&s,64); )
}

// found: a13_seqlock_odd
namespace a13_seqlock_odd_ {
__device__ u seq=1,data;
BEHIND(a13_seqlock_odd, u a;u b;u d; do{ a=LOOK(seq); d=LOOK(data); b=LOOK(seq); }while(a!=b||(a&1)); r=d; , LOOK(data)=3; __threadfence(); LOOK(seq)=2; )
}

// found: a14_help_desc
namespace a14_help_desc_ {
__device__ u desc=5,ready;
BEHIND(a14_help_desc, u d; while((d=LOOK(desc))!=0){ if(LOOK(ready)) atomicCAS(&desc,d,0); } r=1; , LOOK(ready)=1; )
}

// found: a15_help_desc_val
namespace a15_help_desc_val_ {
__device__ u desc=5,val=5;
BEHIND(a15_help_desc_val, u d; while((d=LOOK(desc))!=0){ u n=LOOK(val); atomicCAS(&desc,d,n); } r=1; , LOOK(val)=0; )
}

// found: a18_hash_probe_wrap_empty
namespace a18_hash_probe_wrap_empty_ {
__device__ u tab[8]={1,2,3,4,5,6,7,8};
BEHIND(a18_hash_probe_wrap_empty, u h=lane&7; while(1){ u v=LOOK(tab[h]); if(v==99||v==0) break; h=(h+1)&7; } r=1; , LOOK(tab[3])=0; )
}

// found: a19_backoff
namespace a19_backoff_ {
__device__ u flag;
BEHIND(a19_backoff, u ns=1; while(ns<64||!LOOK(flag)){ __nanosleep(ns); ns=min(ns*2,64u); } r=ns; , LOOK(flag)=1; )
}

// found: a20_tries_reset
namespace a20_tries_reset_ {
__device__ u flag;
BEHIND(a20_tries_reset, for(u t=0;t<10;t++){ if(!LOOK(flag)) t=0; } r=1; , LOOK(flag)=1; )
}

// found: a21_state_machine
namespace a21_state_machine_ {
__device__ u st,go;
BEHIND(a21_state_machine, u s=0; while(s!=4){ switch(s){ case 0: s=1; break; case 1: s=LOOK(go)?3:2; break; case 2: s=0; break; case 3: s=4; break; } } r=s; , LOOK(go)=1; )
}

// found: a22_state_mem_cas
namespace a22_state_mem_cas_ {
__device__ u st[32];
BEHIND(a22_state_mem_cas, for(;;){ u s=LOOK(st[lane]); if(s==3) break; if(s==0) atomicCAS(&st[lane],0,1); else if(s==1) atomicCAS(&st[lane],1,2); else atomicCAS(&st[lane],2,0);} r=3; , for(u i=1;i<32;i++) atomicExch(&st[i],3); )
}

// found: a24_deque_steal
namespace a24_deque_steal_ {
__device__ u top,bot,task[16];
BEHIND(a24_deque_steal, u t; for(;;){ t=LOOK(top); u b=LOOK(bot); if(t<b){ if(atomicCAS(&top,t,t+1)==t) break; } } r=1; , LOOK(bot)=64; )
}

// found: a25_bitmap_alloc
namespace a25_bitmap_alloc_ {
__device__ u bm[4];
BEHIND(a25_bitmap_alloc, u w=0; for(;;){ u f=LOOK(bm[w]); if(f){ u b=f&-f; if(atomicAnd(&bm[w],~b)&b) break; } w=(w+1)&3; } r=1; , for(u i=0;i<4;i++) LOOK(bm[i])=~0u; )
}

// found: a26_pop_empty
namespace a26_pop_empty_ {
__device__ u head,nx[64];
BEHIND(a26_pop_empty, u h; for(;;){ h=LOOK(head); if(h && atomicCAS(&head,h,LOOK(nx[h]))==h) break; } r=1; , for(u i=1;i<40;i++) nx[i]=i+1; __threadfence(); LOOK(head)=1; )
}

// found: a27_mpmc_full
namespace a27_mpmc_full_ {
__device__ u sq[4]={1,2,3,4},tail=4,dat[4];
BEHIND(a27_mpmc_full, for(;;){ u t=LOOK(tail); u s=LOOK(sq[t&3]); int d=(int)(s-t); if(d==0){ if(atomicCAS(&tail,t,t+1)==t){ LOOK(sq[t&3])=t+4; break;} } } r=1; , for(u i=0;i<4;i++) LOOK(sq[i])=i+4; )
}

// found: a28_nested_outer
namespace a28_nested_outer_ {
__device__ u flag,tab[8];
BEHIND(a28_nested_outer, u ok=0; do{ for(u i=0;i<8;i++){ if(LOOK(tab[i])==lane-lane+7) {ok=1;break;} } }while(!ok); r=ok; , LOOK(tab[5])=7; )
}

// found: a29_bound_moves
namespace a29_bound_moves_ {
__device__ u flag;
BEHIND(a29_bound_moves, u n=8; for(u i=0;i<n;i++){ n+=1-LOOK(flag); } r=1; , LOOK(flag)=1; )
}

// found: a31_float_half
namespace a31_float_half_ {
__device__ float f=1.0f;
BEHIND(a31_float_half, float x=1.f; while(x>0.01f){ x*=*(volatile float*)&f; } r=1; , *(volatile float*)&f=0.5f; )
}

// found: a32_gcd
namespace a32_gcd_ {
__device__ u b0=6;
BEHIND(a32_gcd, u a=4; u b; while((b=LOOK(b0)%a)!=0){ a=a; } r=1; , LOOK(b0)=8; )
}

// found: a33_atomicinc_lim
namespace a33_atomicinc_lim_ {
__device__ u c,lim=3;
BEHIND(a33_atomicinc_lim, while(atomicInc(&c,LOOK(lim))<5){ } r=1; , LOOK(lim)=10; )
}

// found: a34_exch_token
namespace a34_exch_token_ {
__device__ u tok;
BEHIND(a34_exch_token, u t; while((t=atomicExch(&tok,0))==0){} atomicExch(&tok,t); r=t; , atomicExch(&tok,1); )
}

// found: a36_restart_head
namespace a36_restart_head_ {
__device__ u nx[4]={1,2|8,3,0};
BEHIND(a36_restart_head, u p=0; for(u s=0;s<3;){ u n=LOOK(nx[p&3]); if(n&8){ p=0;s=0; continue; } p=n; s++; } r=p; , LOOK(nx[1])=2; )
}

// found: a37_harris_help_wrong
namespace a37_harris_help_wrong_ {
__device__ u nx[4]={1|8,2,3,0};
BEHIND(a37_harris_help_wrong, u p=0; for(u s=0;s<3;){ u n=LOOK(nx[p&3]); if(n&8){ atomicCAS(&nx[p&3],n&~8u,n&~8u); p=0;s=0; continue; } p=n; s++; } r=p; , LOOK(nx[0])=1; )
}

// found: a38_tagged_cas
namespace a38_tagged_cas_ {
__device__ ull h;
BEHIND(a38_tagged_cas, for(;;){ ull o=LOOK_WIDE(h); ull n=((o>>32)+1)<<32|(o&0xffffffffu); if(atomicCAS(&h,o,n)==o && (u)o) break; } r=1; , atomicAdd(&h,1ull); )
}

// found: a39_call_once
namespace a39_call_once_ {
__device__ u st,val;
extern "C" __global__ void a39_call_once(u*m,u*out){ u lane=threadIdx.x; u mine=0;
 while(LOOK(st)!=2){ if(atomicCAS(&st,0,1)==0){ mine=1; break; } }
 if(mine){ LOOK(val)=7; __threadfence(); LOOK(st)=2; } out[lane]=1; }
}

// found: a40_lookback
namespace a40_lookback_ {
__device__ u state[32];
extern "C" __global__ void a40_lookback(u*m,u*out){ u lane=threadIdx.x; u sum=0; int i=(int)lane-1;
 while(i>=0){ u s=LOOK(state[i]); if(s>=1000){ sum+=s-1000; break; } if(s){ sum+=s; i--; } }
 LOOK(state[lane])=1000+sum+1; out[lane]=sum; }
}

// found: a41_sptrsv
namespace a41_sptrsv_ {
__device__ u done[32];
extern "C" __global__ void a41_sptrsv(u*m,u*out){ u lane=threadIdx.x; u j=0; u s=1;
 while(j<lane){ u d=LOOK(done[j]); s+=d; j+=d!=0; } LOOK(done[lane])=1; out[lane]=s; }
}

// found: a42_rw_giveback
namespace a42_rw_giveback_ {
__device__ u rw=0x10000;
BEHIND(a42_rw_giveback, for(;;){ u o=atomicAdd(&rw,1); if(o<0x10000) break; atomicSub(&rw,1); } r=1; , atomicSub(&rw,0x10000); )
}

// found: a43_epoch_advance
namespace a43_epoch_advance_ {
__device__ u ge,le[32];
BEHIND(a43_epoch_advance, for(;;){ u e=LOOK(ge); if(e>=3) break; u ok=1; for(u i=0;i<32;i++) if(LOOK(le[i])<e) ok=0; if(ok) atomicCAS(&ge,e,e+1); } r=1; , for(u i=0;i<32;i++) LOOK(le[i])=9; )
}

// found: a44_hazard_scan
namespace a44_hazard_scan_ {
__device__ u hp[8]={0,5,0,0,0,0,0,0};
BEHIND(a44_hazard_scan, u i=0; while(i<8){ if(LOOK(hp[i])==5) i=0; else i++; } r=i; , LOOK(hp[1])=0; )
}

// found: a45_sum_until
namespace a45_sum_until_ {
__device__ u inc;
BEHIND(a45_sum_until, u s=0; while(s<100){ u x=LOOK(inc); s+=x; s-=x>>1; } r=1; , LOOK(inc)=4; )
}

// found: a46_clock_deadline
namespace a46_clock_deadline_ {
__device__ u flag;
BEHIND(a46_clock_deadline, long long d=clock64()+500; while(clock64()<d){ if(!LOOK(flag)) d=clock64()+500; } r=1; , LOOK(flag)=1; )
}

// found: a47_byte_flag_word
namespace a47_byte_flag_word_ {
__device__ u w;
BEHIND(a47_byte_flag_word, u i=0; while(i<4){ u x=LOOK(w); i+=(x>>16)&1; } r=i; , ((volatile unsigned char*)&w)[2]=1; )
}

// found: a48_noinline_step
namespace a48_noinline_step_ {
__device__ u flag;
__device__ __noinline__ u step(u i){ return i+(LOOK(flag)?1:0); }
BEHIND(a48_noinline_step, u i=0; while(i<8) i=step(i); r=i; , LOOK(flag)=1; )
}

// found: a49_noinline_cas
namespace a49_noinline_cas_ {
__device__ u c,lim;
__device__ __noinline__ bool tryinc(u*p,u l){ u o=LOOK(*p); u n=o<l?o+1:o; return atomicCAS(p,o,n)==o && n!=o; }
BEHIND(a49_noinline_cas, while(!tryinc(&c,LOOK(lim))); r=1; , LOOK(lim)=100; )
}

// found: a50_shared_idx
namespace a50_shared_idx_ {
extern "C" __global__ void a50_shared_idx(u*m,u*out){ __shared__ u f; u lane=threadIdx.x; if(!lane) f=0; __syncthreads();
 u i=0; while(lane && i<8){ i+=LOOK(f); } if(!lane) LOOK(f)=2; out[lane]=1; }
}

// found: a51_param_alias
namespace a51_param_alias_ {
extern "C" __global__ void a51_param_alias(u*m,u*out){ u lane=threadIdx.x; u i=0; while(lane && i<100){ u s=LOOK(m[i&63]); i+=s; } out[lane]=i; if(!lane) for(u j=0;j<64;j++) LOOK(m[j])=1; }
}

// found: a52_vote_any
namespace a52_vote_any_ {
__device__ u flag;
BEHIND(a52_vote_any, u i=0; while(i<4){ if(__any_sync(__activemask(),LOOK(flag))) i++; } r=i; , LOOK(flag)=1; )
}

// found: a53_two_lanes
namespace a53_two_lanes_ {
//BLK 2
__device__ u flag[2],turn;
extern "C" __global__ void a53_two_lanes(u*m,u*out){ u me=threadIdx.x; u o=1-me; LOOK(flag[me])=1; __threadfence(); LOOK(turn)=o; __threadfence(); 
 while(LOOK(flag[o])&&LOOK(turn)==o){} m[0]++; LOOK(flag[me])=0; out[me]=1; }
}

// found: a54_bakery_scan
namespace a54_bakery_scan_ {
//BLK 4
__device__ u tk[4],ctr=1;
extern "C" __global__ void a54_bakery_scan(u*m,u*out){ u me=threadIdx.x; u t=atomicAdd(&ctr,1); LOOK(tk[me])=t; 
 u i=0; while(i<4){ u x=LOOK(tk[i]); if(x==0||x>=t) i++; } LOOK(tk[me])=0; out[me]=1; }
}

// found: a55_two_ptr
namespace a55_two_ptr_ {
__device__ u flag;
BEHIND(a55_two_ptr, u a=0; u b=10; while(a!=b){ a++; b+=LOOK(flag)?0:1; } r=1; , LOOK(flag)=1; )
}

// found: a56_cas_expected_stale
namespace a56_cas_expected_stale_ {
__device__ u c=3,upd;
BEHIND(a56_cas_expected_stale, u o=0; for(;;){ u x=atomicCAS(&c,o,o+1); if(x==o) break; o=LOOK(upd)?x:o; } r=1; , LOOK(upd)=1; )
}

// found: a57_ptr_indirect
namespace a57_ptr_indirect_ {
__device__ u f2; __device__ u* volatile pp=&f2;
BEHIND(a57_ptr_indirect, u i=0; u*q=pp; while(i<5){ i+=LOOK(*q); } r=i; , LOOK(f2)=1; )
}

// assumed: a58_ulong_walk
namespace a58_ulong_walk_ {
__device__ ull nx[8]={1,2,2,4,5,6,7,7};
BEHIND(a58_ulong_walk, ull p=0; while(p!=7) p=LOOK_WIDE(nx[p]); r=(u)p; , LOOK_WIDE(nx[2])=7; )
}

// found: a59_shr
namespace a59_shr_ {
__device__ u sh;
BEHIND(a59_shr, u x=0x80000000u; while(x>>=LOOK(sh)); r=1; , LOOK(sh)=1; )
}

// found: a60_countdown_reload
namespace a60_countdown_reload_ {
__device__ u flag;
BEHIND(a60_countdown_reload, u i=10; while(i){ i--; if(!i) i=LOOK(flag)?0:10; } r=1; , LOOK(flag)=1; )
}
