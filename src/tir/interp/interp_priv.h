/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The reference interpreter: a PRIM_FUNC is compiled once to instructions over slots (compile_*.c),
 * then run (run.c).
 *
 * A slot holds one lane. A vector is a list of slots, so that broadcasts and shuffles cost nothing
 * and there is one set of instructions; constants have negative slot numbers. Slots are given out
 * like a stack along the nesting of scopes. Memory is named by handles (which memory, which byte),
 * never by addresses: every access is checked twice, against the buffer's shape and against the
 * memory behind it, so that no program can reach outside. */
#ifndef TN_TIR_INTERP_PRIV_H
#define TN_TIR_INTERP_PRIV_H

#include "base/arena.h"
#include "tir/tir_priv.h"

typedef union tn_ireg {
  int64_t i;
  uint64_t u;
  float f;
  double d;
} tn_ireg;

typedef enum tn_iop {
#define X(name, ...) TN_IOP_##name,
#include "tir/interp/ops.def"
#undef X
} tn_iop;

/// What a CHECK does; it stands before what it is about.
typedef enum tn_icheck {
  TN_ICHECK_NONE,
  TN_ICHECK_LOAD, /* operands of the load or store after it, but for x */
  TN_ICHECK_STORE,
  TN_ICHECK_DIVISOR, /* d: the quotient; b: what must not be 0 */
  TN_ICHECK_WIDE,    /* a: index; b: the same in 64 bits; c: buffer */
  TN_ICHECK_MARK,    /* a loop begins; d: its mark; a: fork + 1, 0: none; b: lanes; c: parallel */
  TN_ICHECK_TURN,    /* of fork a */
  TN_ICHECK_BLOCK    /* an instance of block a begins; b: nodes around it */
} tn_icheck;

typedef struct tn_ins {
  uint16_t op; /* tn_iop */
  uint16_t x;
  int32_t d;
  int32_t a;
  int32_t b;
  int32_t c;
} tn_ins;

/// One call by name.
typedef struct tn_icall {
  const char *name;
  uint32_t n_args;
  struct {
    int32_t slot;
    tn_dtype dtype;
    int32_t buffer;   /* number of a buffer; -1: none */
    const char *text; /* NULL: none */
  } * args;
} tn_icall;

/// One argument of a call of another function: a buffer's number, or a slot.
typedef struct tn_iinvoke_arg {
  int32_t buffer; /* -1: none */
  int32_t slot;
  tn_dtype dtype;
} tn_iinvoke_arg;

/// One call of another function of the module.
typedef struct tn_iinvoke {
  const char *name;
  uint32_t n_args;
  const tn_iinvoke_arg *args;
  const bool *is_pointer; /* a buffer parameter gets a bare pointer */
  tn_tir_program *callee; /* NULL until it runs */
} tn_iinvoke;

/* ---- what a checked program knows besides (check_priv.h) ---- */

/// The loop or block around an instruction.
typedef struct tn_iwhere {
  const tn_node *node; /* FOR, LAUNCH, ATTR or BLOCK */
  int32_t outer;       /* -1: none */
  int32_t n_vars;      /* the loop's variable, the block's axes; slots in lists from `vars` on */
  int32_t vars;
  int32_t n_forks; /* loops around whose turns may run at once, with this one */
  int32_t n_nodes; /* blocks around with spatial axes that loops run over, with this one */
  int32_t block;   /* a BLOCK's number; -1: a loop */
} tn_iwhere;

typedef struct tn_iregion {
  const tn_node *node;
  int32_t buffer;
  int32_t ranges; /* lists: minima, then extents; -1: all of the buffer */
  bool is_write;
} tn_iregion;

typedef struct tn_iblock {
  const tn_node *node;
  int32_t first_region;
  int32_t n_regions;
  int32_t first_mem; /* memory from here on is allocated inside */
  int32_t axes;      /* lists: slots of the spatial axes, then of those with an order */
  int32_t n_spatial;
  int32_t n_ordered;
  int32_t mark; /* slot: which run of the outermost loop that it is bound to; -1: of none */
} tn_iblock;

struct tn_tir_program {
  bool is_checked;
  tn_arena arena; /* texts, calls */
  const tn_ir *ir;
  const tn_node *func;
  const char *signature;
  TN_VEC(tn_ins) code;
  TN_VEC(const tn_node *) places;  /* the statement behind each instruction */
  TN_VEC(int32_t) lists;           /* operands past the fourth */
  TN_VEC(tn_ireg) consts;          /* constant k is slot -1 - k */
  TN_VEC(const tn_node *) buffers; /* BUFFER behind each number */
  TN_VEC(const tn_array *)
  mems; /* the array behind a memory, NULL: allocated when run; the parameters' come first */
  TN_VEC(const char *) texts;
  TN_VEC(tn_icall) calls;
  TN_VEC(tn_iinvoke) invokes;
  const bool *is_pointer;           /* of the parameters; NULL: none is */
  tn_tir_program *root;             /* the one that the others were made for */
  TN_VEC(tn_tir_program *) callees; /* of the root: its own */
  int32_t n_slots;
  /* of a checked program */
  TN_VEC(int32_t) where_at; /* of each instruction; -1: the function itself */
  TN_VEC(tn_iwhere) wheres;
  TN_VEC(tn_iblock) blocks;
  TN_VEC(tn_iregion) regions;
  int32_t n_forks; /* deepest */
  int32_t n_nodes;
};

/* ---- what runs ---- */

typedef struct tn_shadow tn_shadow; /* check_priv.h */

typedef struct tn_imem {
  char *data;
  size_t n_bytes;
  size_t cap; /* of owned memory; 0: borrowed */
  bool is_const;
  bool is_foreign; /* a handle from outside, raw: nothing is known about it */
  uint64_t raw;
  tn_shadow *shadow; /* of a checked run; NULL: constant or foreign */
  size_t shadow_at;  /* the byte of the shadow where this memory begins */
} tn_imem;

typedef struct tn_idim {
  int64_t extent;
  int64_t stride; /* units */
} tn_idim;

/* Offsets in a buffer are counted in units: bytes, but for packed elements half bytes. The lanes of
 * a vector element are a last dimension that the program does not see. */
static inline uint64_t tn_unit_of_lane(tn_dtype dtype) {
  return tn_dtype_is_packed(dtype) ? 1 : tn_dtype_bytes(tn_dtype_elem(dtype));
}
static inline uint64_t tn_unit_of_elem(tn_dtype dtype) {
  return tn_unit_of_lane(dtype) * tn_dtype_lanes(dtype);
}

typedef struct tn_ibuf {
  char *data;
  uint64_t n_ok;       /* offsets below it hold a whole element */
  int64_t offset;      /* units from data to element [0, 0, ...] */
  int64_t elem_offset; /* the same in elements, from the buffer's data handle */
  uint32_t mem;
  uint32_t ndim;
  bool is_const;
  tn_idim dims[TN_MAX_NDIM];
} tn_ibuf;

/// What a caller in interpreted code gives for one parameter.
typedef struct tn_igiven {
  tn_imem mem;
  int64_t strides[TN_MAX_NDIM]; /* elements; of a buffer */
} tn_igiven;

typedef struct tn_ivm {
  const tn_tir_program *prog;
  const tn_igiven *given; /* one an argument; NULL: called from outside */
  int32_t depth;          /* of calls */
  const tn_tir_arg *args;
  int32_t n_args;
  const tn_tir_hooks *hooks; /* never NULL */
  tn_ireg *slots;            /* slot 0 */
  const int32_t *lists;
  tn_ibuf *bufs;
  tn_imem *mems;
  int64_t steps; /* left */
  tn_ireg ret;
  bool has_ret;
  tn_tir_checker *check; /* NULL: a plain run */
  int32_t skip;          /* instructions that a check leaves out */
  struct tn_ivm_block *blocks;
  uint32_t n_outer_forks; /* of the callers */
  uint32_t n_outer_nodes;
} tn_ivm;

/// The instances of a block that are compared now.
typedef struct tn_ivm_block {
  uint64_t mark;
  uint64_t order; /* hash of the axes with an order and of the instance around */
  uint32_t scope; /* 0: none yet */
} tn_ivm_block;

/* Handles: memory number + 1 in the upper bits, byte below. */
enum { TN_HANDLE_SHIFT = 40 };

tn_status tn_ivm_run(tn_ivm *vm);
/// An error at the statement behind `in`: file, line, source text and a stable id.
tn_status tn_ivm_error(const tn_ivm *vm, const tn_ins *in, const char *id, const char *fmt, ...)
    TN_PRINTF(4, 5);
tn_status tn_ivm_steps(const tn_ivm *vm);
tn_status tn_ivm_bad_access(const tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_bad_arg(const tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_bad_iter(const tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_bad_view(const tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_assert(const tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_alloc(tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_set_buffer(tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_slice(tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_offset(tn_ivm *vm, const tn_ins *in);
uint64_t tn_ivm_handle(const tn_ivm *vm, const tn_ins *in, const char *at);
int64_t tn_ivm_stride(const tn_ivm *vm, int32_t buffer, int32_t dim);
int64_t tn_ivm_arg_stride(const tn_ivm *vm, int32_t arg, int32_t dim);
/// The memory behind a handle and the byte in it; false for what is none of this run's.
bool tn_ivm_decode(const tn_ivm *vm, uint64_t handle, uint32_t *out_mem, uint64_t *out_offset);
void tn_ivm_bitcast(tn_ivm *vm, const tn_ins *in);
/// The bytes of one lane as memory holds them.
uint64_t tn_ivm_lane_bits(tn_dtype elem, tn_ireg value);
tn_status tn_ivm_call(tn_ivm *vm, const tn_ins *in);
tn_status tn_ivm_invoke(tn_ivm *vm, const tn_ins *in);
/// Gives the machine its memory, runs it and takes the memory back; vm->ret is the result.
tn_status tn_ivm_execute(tn_ivm *vm);
/// Before the first instruction: count, kinds, types and ranks of the arguments (their extents are
/// code).
tn_status tn_ivm_check_args(tn_ivm *vm);

/* ---- functions of one and two floats ---- */

typedef struct tn_imath1_row {
  const char *name; /* as in intrins.def, and libm's float64 name */
  float (*f)(float);
  double (*d)(double);
} tn_imath1_row;
typedef struct tn_imath2_row {
  const char *name;
  float (*f)(float, float);
  double (*d)(double, double);
} tn_imath2_row;
extern const tn_imath1_row tn_imath1[];
extern const tn_imath2_row tn_imath2[];
/// The row's number, or -1.
int32_t tn_imath1_find(const char *name);
int32_t tn_imath2_find(const char *name);

/* ---- the compiler ---- */

/// A value: `lanes` slot numbers from `first` in the compiler's list of slots.
typedef struct tn_ival {
  uint32_t lanes;
  uint32_t first;
  uint32_t epoch; /* when it was computed: a value that reads memory is stale after a store */
} tn_ival;

/// A loop around the place being compiled.
typedef struct tn_iloop {
  const tn_node *var;
  int32_t mark; /* slot: which run of it */
} tn_iloop;

/// The jump of a BREAK or CONTINUE whose loop is not finished.
typedef struct tn_iexit {
  int32_t ins;
  bool is_break;
} tn_iexit;

typedef struct tn_icomp {
  tn_tir_program *prog;
  uint32_t *memo; /* node id -> number in vals + 1; for BUFFERs: buffer number + 1; 0: not here */
  TN_VEC(tn_ival) vals;
  TN_VEC(int32_t) slots;         /* of the lanes of vals */
  TN_VEC(const tn_node *) bound; /* the nodes in memo, oldest first */
  TN_VEC(const tn_node *) loose; /* BUFFERs that no statement declares */
  tn_map const_at;               /* bits -> number of the constant */
  tn_map domain_of;              /* id of a loop's or axis' variable -> its FOR or ITER */
  TN_VEC(tn_iexit) exits;        /* of the loops being compiled, the innermost one's last */
  uint32_t epoch;
  int32_t top; /* next free slot */
  const tn_node *place;
  /* of a checked program */
  int32_t where;          /* -1: the function itself */
  TN_VEC(tn_iloop) loops; /* around the place */
  tn_map value_of;        /* id of a bound variable -> its value */
} tn_icomp;

/// The state that a scope restores when it ends.
typedef struct tn_iscope {
  size_t n_bound;
  size_t n_vals;
  size_t n_slots;
  int32_t top;
} tn_iscope;

/// A program of its own. is_pointer: parameters that get a pointer where they have a buffer, so
/// that nothing about its sizes comes with the argument; NULL: none; borrowed.
tn_status tn_icomp_program(const tn_ir *ir, const tn_node *func, const bool *is_pointer,
                           bool is_checked, tn_tir_program **out_program);
tn_status tn_icomp_func(tn_icomp *c); /* compile.c */
tn_iscope tn_icomp_enter(const tn_icomp *c);
void tn_icomp_leave(tn_icomp *c, tn_iscope scope);
int32_t tn_icomp_emit(tn_icomp *c, tn_iop op, uint32_t x, int32_t d, int32_t a, int32_t b,
                      int32_t c_operand);
int32_t tn_icomp_temp(tn_icomp *c);
int32_t tn_icomp_const(tn_icomp *c, tn_ireg value);
static inline int32_t tn_icomp_const_i(tn_icomp *c, int64_t value) {
  return tn_icomp_const(c, (tn_ireg){.i = value});
}
int32_t tn_icomp_text(tn_icomp *c, const char *text);
/// The jump at `ins` goes to the next instruction.
void tn_icomp_land(tn_icomp *c, int32_t ins);
/// n is known as `value` until its scope ends.
void tn_icomp_bind(tn_icomp *c, const tn_node *n, tn_ival value);
void tn_icomp_bind_slot(tn_icomp *c, const tn_node *n, int32_t slot);
bool tn_icomp_is_bound(const tn_icomp *c, const tn_node *n);
static inline int32_t tn_icomp_lane(const tn_icomp *c, tn_ival value, uint32_t lane) {
  return c->slots.data[value.first + (value.lanes == 1 ? 0 : lane)];
}
tn_ival tn_icomp_new_value(tn_icomp *c, uint32_t lanes); /* of fresh slots */
tn_ival tn_icomp_slot_value(tn_icomp *c, int32_t slot);

tn_status tn_icomp_expr(tn_icomp *c, const tn_node *n, tn_ival *out); /* expr.c */
/// An expression of one lane.
tn_status tn_icomp_scalar(tn_icomp *c, const tn_node *n, int32_t *out_slot);
/// Wraps or rounds `slot` in place to the type, where its class of operations does not do it.
void tn_icomp_norm(tn_icomp *c, tn_dtype dtype, int32_t slot);
tn_status tn_icomp_intrin(tn_icomp *c, const tn_node *n, tn_ival *out); /* intrin.c */
tn_status tn_icomp_invoke(tn_icomp *c, const tn_node *n, tn_ival *out); /* invoke.c */
tn_status tn_icomp_cast(tn_icomp *c, const tn_node *n, tn_ival *out);   /* cast.c */
tn_status tn_icomp_reinterpret(tn_icomp *c, const tn_node *n, tn_ival *out);

tn_status tn_icomp_load(tn_icomp *c, const tn_node *n, tn_ival *out); /* memory.c */
tn_status tn_icomp_store(tn_icomp *c, const tn_node *n);
tn_status tn_icomp_address_of(tn_icomp *c, const tn_node *load, tn_ival *out);
tn_status tn_icomp_alloc(tn_icomp *c, const tn_node *n);
tn_status tn_icomp_const_alloc(tn_icomp *c, const tn_node *n);
/// A buffer that comes with its own memory (a block's alloc_buffer).
tn_status tn_icomp_alloc_buffer(tn_icomp *c, const tn_node *buffer);
/// Makes a buffer whose data handle is bound usable; strides NULL: the buffer's own.
tn_status tn_icomp_set_buffer(tn_icomp *c, const tn_node *buffer);
tn_status tn_icomp_match(tn_icomp *c, const tn_node *match);
/// Sets the loose buffers over a data variable just bound.
tn_status tn_icomp_set_loose(tn_icomp *c, const tn_node *data);
/// True when all variables below n have values here.
bool tn_icomp_vars_are_bound(const tn_icomp *c, const tn_node *n);
/// The number of a buffer whose memory is known here.
tn_status tn_icomp_use_buffer(tn_icomp *c, const tn_node *buffer, int32_t *out);

tn_status tn_icomp_stmt(tn_icomp *c, const tn_node *n); /* stmt.c */

/* check_compile.c; all of them do nothing in a plain program. What enters a loop or a block gives
 * the place to come back to with tn_icheck_leave. */
/// Before the loop's first turn.
void tn_icheck_loop(tn_icomp *c, const tn_node *loop);
/// First in each turn.
int32_t tn_icheck_enter_loop(tn_icomp *c, const tn_node *loop, int32_t slot);
tn_status tn_icheck_enter_block(tn_icomp *c, const tn_node *block, int32_t *out_outer);
void tn_icheck_leave(tn_icomp *c, int32_t outer);
void tn_icheck_bind(tn_icomp *c, const tn_node *var, const tn_node *value);
/// An index of `buffer` whose arithmetic in int32 wraps is a finding.
tn_status tn_icheck_index(tn_icomp *c, const tn_node *index, int32_t buffer);
/// `op` (a division) is not reached with 0 in slot `divisor`.
void tn_icheck_divisor(tn_icomp *c, tn_iop op, int32_t d, int32_t divisor);

/// An error of the program at the statement being compiled.
tn_status tn_icomp_error(const tn_icomp *c, tn_code code, const char *fmt, ...) TN_PRINTF(3, 4);

#endif
