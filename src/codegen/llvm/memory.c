/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loads and stores of flat buffers. Consecutive lanes (a ramp of stride 1) become one vector access.
 * In memory of ours it has the alignment that its index shows, else the element's natural one,
 * since memory of other libraries need not have more. Other vector indices go lane by lane, or through gather and scatter when some lanes are masked off.
 * Masked-off lanes load 0. Elements of 4 bits go through the bytes they share. */
#include "codegen/llvm/cg.h"

/* What an access of either kind needs. */
typedef struct access {
  const tn_node *buffer;
  const tn_node *index; /* NULL: element 0 */
  LLVMValueRef mask;    /* NULL: all lanes */
  tn_dtype value;       /* with all lanes */
  uint32_t lanes;       /* of the index */
  LLVMTypeRef elem;     /* in memory, one element of the buffer */
  unsigned align;
} access;

/* ---- small helpers ---- */

/* Offsets of elements counted in lanes: to LLVM a vector of three takes the room of four. */
static LLVMValueRef in_lanes(tn_cg *cg, LLVMValueRef offset, tn_dtype elem) {
  int64_t lanes = tn_dtype_lanes(elem);
  if (lanes == 1) {
    return offset;
  }
  bool is_vector = LLVMGetTypeKind(LLVMTypeOf(offset)) == LLVMVectorTypeKind;
  uint32_t n = is_vector ? LLVMGetVectorSize(LLVMTypeOf(offset)) : 1;
  return LLVMBuildMul(cg->builder, offset, tn_cg_splat(cg, tn_cg_i64(cg, lanes), n), "");
}

LLVMValueRef tn_cg_offset(tn_cg *cg, LLVMValueRef base, LLVMValueRef offset, tn_dtype elem) {
  offset = in_lanes(cg, offset, elem);
  return LLVMBuildGEP2(cg->builder, tn_cg_mem_type(cg, tn_dtype_elem(elem)), base, &offset, 1, "");
}

LLVMValueRef tn_cg_field(tn_cg *cg, LLVMTypeRef type, LLVMValueRef base, size_t byte_offset) {
  LLVMValueRef offset = tn_cg_i64(cg, (int64_t)byte_offset);
  LLVMValueRef at = LLVMBuildInBoundsGEP2(cg->builder, cg->i8, base, &offset, 1, "");
  return LLVMBuildLoad2(cg->builder, type, at, "");
}

LLVMValueRef tn_cg_stack(tn_cg *cg, LLVMTypeRef type, uint64_t n, unsigned align,
                         const char *name) {
  LLVMBasicBlockRef here = tn_cg_here(cg);
  tn_cg_at(cg, cg->cur->entry);
  LLVMValueRef slot = LLVMBuildAlloca(cg->builder, LLVMArrayType2(type, n), name);
  LLVMSetAlignment(slot, align);
  tn_cg_at(cg, here);
  return slot;
}

static LLVMValueRef from_memory(tn_cg *cg, LLVMValueRef value, tn_dtype dtype) {
  return tn_dtype_is_bool(dtype)
             ? LLVMBuildICmp(cg->builder, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "")
             : value;
}

static LLVMValueRef to_memory(tn_cg *cg, LLVMValueRef value, tn_dtype dtype) {
  return tn_dtype_is_bool(dtype) ? LLVMBuildZExt(cg->builder, value, tn_cg_mem_type(cg, dtype), "")
                                 : value;
}

/* ---- addresses ---- */

static bool is_contiguous(const tn_node *index) {
  return tn_is(index, TN_OP_RAMP) && tn_is_int(index->in[TN_RAMP_STRIDE], 1);
}

static LLVMValueRef element_address(tn_cg *cg, const access *a, const tn_node *scalar_index) {
  LLVMValueRef base = tn_cg_expr(cg, a->buffer->in[TN_BUFFER_DATA]);
  if (scalar_index == NULL) {
    return base;
  }
  LLVMTypeRef lane = tn_cg_mem_type(cg, tn_dtype_elem(a->buffer->dtype));
  LLVMValueRef offset = in_lanes(cg, tn_cg_index(cg, scalar_index), a->buffer->dtype);
  /* a masked access may begin outside the memory it belongs to */
  return a->mask == NULL ? LLVMBuildInBoundsGEP2(cg->builder, lane, base, &offset, 1, "")
                         : LLVMBuildGEP2(cg->builder, lane, base, &offset, 1, "");
}

/* A vector of addresses; the offsets are added in 64 bits. */
static LLVMValueRef lane_addresses(tn_cg *cg, const access *a) {
  LLVMValueRef base = tn_cg_expr(cg, a->buffer->in[TN_BUFFER_DATA]);
  LLVMValueRef offsets = tn_cg_index(cg, a->index);
  return LLVMBuildGEP2(cg->builder, a->elem, base, &offsets, 1, "");
}

static LLVMValueRef lane_address(tn_cg *cg, const access *a, uint32_t lane) {
  LLVMValueRef base = tn_cg_expr(cg, a->buffer->in[TN_BUFFER_DATA]);
  LLVMValueRef offset = tn_cg_lane(cg, tn_cg_index(cg, a->index), lane);
  return LLVMBuildInBoundsGEP2(cg->builder, a->elem, base, &offset, 1, "");
}

/* Fills `a`; false when the access has no code. */
static bool describe(tn_cg *cg, access *a, const tn_node *n, uint32_t first_index,
                     const tn_node *predicate, tn_dtype value) {
  a->buffer = n->in[0];
  a->value = value;
  a->index = n->n_in > first_index ? n->in[first_index] : NULL;
  a->lanes = a->index == NULL ? 1 : tn_dtype_lanes(a->index->dtype);
  if (n->n_in > first_index + 1) {
    tn_cg_fail(cg, TN_INTERNAL, "buffer '%s' still has %u dimensions: run flatten_buffers first",
               a->buffer->attr.text, n->n_in - first_index);
    return false;
  }
  tn_dtype dtype = a->buffer->dtype;
  if ((tn_dtype_lanes(dtype) > 1 && a->lanes > 1) ||
      tn_dtype_lanes(value) != a->lanes * tn_dtype_lanes(dtype)) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "an access of %u lanes to buffer '%s' with an index of %u lanes",
               tn_dtype_lanes(value), a->buffer->attr.text, a->lanes);
    return false;
  }
  a->elem = tn_cg_mem_type(cg, dtype);
  a->align = (unsigned)tn_dtype_bytes(tn_dtype_elem(dtype));
  a->mask = NULL;
  if (cg->cur->mask != NULL) {
    uint32_t lanes = LLVMGetVectorSize(LLVMTypeOf(cg->cur->mask));
    a->mask = a->lanes == lanes ? cg->cur->mask : tn_cg_any(cg, cg->cur->mask, lanes);
    a->mask = a->lanes == lanes ? a->mask : tn_cg_splat(cg, a->mask, a->lanes);
  }
  if (!tn_is_none(predicate) && !tn_is_int(predicate, 1)) {
    LLVMValueRef own = tn_cg_expr(cg, predicate);
    own = tn_dtype_lanes(predicate->dtype) == a->lanes ? own : tn_cg_splat(cg, own, a->lanes);
    a->mask = a->mask == NULL ? own : LLVMBuildAnd(cg->builder, a->mask, own, "");
  }
  return true;
}

/* ---- one access at an address ---- */

static LLVMValueRef load_at(tn_cg *cg, const access *a, LLVMTypeRef type, LLVMValueRef address) {
  LLVMValueRef load = LLVMBuildLoad2(cg->builder, type, address, "");
  LLVMSetAlignment(load, a->align);
  return load;
}

static LLVMValueRef load_if(tn_cg *cg, const access *a, LLVMValueRef cond, LLVMValueRef address) {
  LLVMBasicBlockRef before = tn_cg_here(cg);
  LLVMBasicBlockRef then = tn_cg_block(cg, "load");
  LLVMBasicBlockRef join = tn_cg_block(cg, "loaded");
  LLVMBuildCondBr(cg->builder, cond, then, join);
  tn_cg_at(cg, then);
  LLVMValueRef values[] = {load_at(cg, a, a->elem, address), LLVMConstNull(a->elem)};
  LLVMBasicBlockRef blocks[] = {then, before};
  LLVMBuildBr(cg->builder, join);
  tn_cg_at(cg, join);
  LLVMValueRef phi = LLVMBuildPhi(cg->builder, a->elem, "");
  LLVMAddIncoming(phi, values, blocks, 2);
  return phi;
}

static void store_at(tn_cg *cg, const access *a, LLVMValueRef value, LLVMValueRef address) {
  LLVMSetAlignment(LLVMBuildStore(cg->builder, value, address), a->align);
}

/* ---- calls of LLVM's masked accesses ---- */

static LLVMValueRef call_masked(tn_cg *cg, const char *name, size_t name_len, LLVMTypeRef value,
                                LLVMTypeRef address, LLVMValueRef *args, unsigned n) {
  LLVMTypeRef types[] = {value, address};
  unsigned id = LLVMLookupIntrinsicID(name, name_len);
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(cg->mod, id, types, 2);
  return LLVMBuildCall2(cg->builder, LLVMIntrinsicGetType(cg->ctx, id, types, 2), fn, args, n, "");
}

LLVMValueRef tn_cg_gather(tn_cg *cg, LLVMTypeRef elem, LLVMValueRef addresses, LLVMValueRef mask,
                          uint32_t lanes, unsigned align) {
  LLVMTypeRef type = tn_cg_lanes_of(elem, lanes);
  mask = mask == NULL ? tn_cg_all_true(cg, lanes) : mask;
  LLVMValueRef args[] = {addresses, tn_cg_i32(cg, align), mask, LLVMConstNull(type)};
  return call_masked(cg, "llvm.masked.gather", 18, type, LLVMTypeOf(addresses), args, 4);
}

/* ---- packed elements: two in a byte, the first in its low half ---- */

/* The lane numbers [0, 1, ...] as i64. */
static LLVMValueRef lane_numbers(tn_cg *cg, uint32_t lanes, uint32_t modulus) {
  LLVMValueRef out = LLVMGetPoison(LLVMVectorType(cg->i64, lanes));
  for (uint32_t i = 0; i < lanes; ++i) {
    out = tn_cg_set_lane(cg, out, tn_cg_i64(cg, i % modulus), i);
  }
  return out;
}

/* Each of `lanes` values (one or more an element) repeated for the lanes of its element. */
static LLVMValueRef spread(tn_cg *cg, LLVMValueRef value, uint32_t n_elems, uint32_t elem_lanes) {
  if (elem_lanes == 1) {
    return value;
  }
  if (n_elems == 1) {
    return tn_cg_splat(cg, value, elem_lanes);
  }
  LLVMValueRef picks = LLVMGetPoison(LLVMVectorType(cg->i32, n_elems * elem_lanes));
  for (uint32_t i = 0; i < n_elems * elem_lanes; ++i) {
    picks = tn_cg_set_lane(cg, picks, tn_cg_i32(cg, i / elem_lanes), i);
  }
  return LLVMBuildShuffleVector(cg->builder, value, LLVMGetPoison(LLVMTypeOf(value)), picks, "");
}

/* Where the elements of an access lie: half bytes from the data pointer on, an i64 a lane. */
static LLVMValueRef packed_places(tn_cg *cg, const access *a) {
  uint32_t elem_lanes = tn_dtype_lanes(a->buffer->dtype);
  LLVMValueRef at = a->index == NULL ? tn_cg_i64(cg, 0) : tn_cg_index(cg, a->index);
  at = spread(cg, at, a->lanes, elem_lanes);
  if (elem_lanes == 1) {
    return at;
  }
  uint32_t lanes = a->lanes * elem_lanes;
  LLVMValueRef scale = tn_cg_splat(cg, tn_cg_i64(cg, elem_lanes), lanes);
  return LLVMBuildAdd(cg->builder, LLVMBuildMul(cg->builder, at, scale, ""),
                      lane_numbers(cg, lanes, elem_lanes), "");
}

static LLVMValueRef packed_byte(tn_cg *cg, const access *a, LLVMValueRef at, uint32_t lanes) {
  LLVMValueRef base = tn_cg_expr(cg, a->buffer->in[TN_BUFFER_DATA]);
  LLVMValueRef one = tn_cg_splat(cg, tn_cg_i64(cg, 1), lanes);
  LLVMValueRef byte = LLVMBuildAShr(cg->builder, at, one, "");
  return LLVMBuildGEP2(cg->builder, cg->i8, base, &byte, 1, "");
}

/* 0 or 4: how far up in its byte an element lies. */
static LLVMValueRef packed_shift(tn_cg *cg, LLVMValueRef at, uint32_t lanes) {
  LLVMValueRef low = LLVMBuildTrunc(cg->builder, at, tn_cg_lanes_of(cg->i8, lanes), "");
  LLVMValueRef bit =
      LLVMBuildAnd(cg->builder, low, tn_cg_splat(cg, LLVMConstInt(cg->i8, 1, 0), lanes), "");
  return LLVMBuildShl(cg->builder, bit, tn_cg_splat(cg, LLVMConstInt(cg->i8, 2, 0), lanes), "");
}

static LLVMValueRef load_packed(tn_cg *cg, const access *a) {
  uint32_t lanes = tn_dtype_lanes(a->value);
  LLVMValueRef mask = a->mask;
  LLVMValueRef at = packed_places(cg, a);
  LLVMValueRef byte = packed_byte(cg, a, at, lanes);
  LLVMValueRef bytes = NULL;
  if (lanes == 1) {
    bytes = mask == NULL ? load_at(cg, a, cg->i8, byte) : load_if(cg, a, mask, byte);
  } else {
    mask = mask == NULL ? NULL : spread(cg, mask, a->lanes, lanes / a->lanes);
    bytes = tn_cg_gather(cg, cg->i8, byte, mask, lanes, 1);
  }
  bytes = LLVMBuildLShr(cg->builder, bytes, packed_shift(cg, at, lanes), "");
  return LLVMBuildTrunc(cg->builder, bytes, tn_cg_type(cg, a->value), "");
}

/* Lane by lane: two of them may share a byte. */
static void store_packed(tn_cg *cg, const access *a, LLVMValueRef value) {
  LLVMBuilderRef b = cg->builder;
  uint32_t lanes = tn_dtype_lanes(a->value);
  LLVMValueRef places = packed_places(cg, a);
  for (uint32_t i = 0; i < lanes; ++i) {
    LLVMBasicBlockRef join = NULL;
    if (a->mask != NULL) {
      LLVMBasicBlockRef then = tn_cg_block(cg, "store");
      join = tn_cg_block(cg, "stored");
      LLVMBuildCondBr(b, tn_cg_lane(cg, a->mask, i / (lanes / a->lanes)), then, join);
      tn_cg_at(cg, then);
    }
    LLVMValueRef at = tn_cg_lane(cg, places, i);
    LLVMValueRef byte = packed_byte(cg, a, at, 1);
    LLVMValueRef shift = packed_shift(cg, at, 1);
    LLVMValueRef hole = LLVMBuildShl(b, LLVMConstInt(cg->i8, 0xf, 0), shift, "");
    LLVMValueRef old = LLVMBuildAnd(b, load_at(cg, a, cg->i8, byte), LLVMBuildNot(b, hole, ""), "");
    LLVMValueRef lane = LLVMBuildZExt(b, tn_cg_lane(cg, value, i), cg->i8, "");
    store_at(cg, a, LLVMBuildOr(b, old, LLVMBuildShl(b, lane, shift, ""), ""), byte);
    if (join != NULL) {
      LLVMBuildBr(b, join);
      tn_cg_at(cg, join);
    }
  }
}

/* ---- loads ---- */

/* One element, when the mask (one bit) allows. */
static LLVMValueRef load_element_if(tn_cg *cg, const access *a, LLVMValueRef cond,
                                    const tn_node *index) {
  LLVMValueRef address = element_address(cg, a, index);
  return cond == NULL ? load_at(cg, a, a->elem, address) : load_if(cg, a, cond, address);
}

/* The largest power of two (up to TN_CG_ALIGN) that divides an index whatever its variables are; it
 * does so after wrapping, too. */
static uint32_t divisor_of(const tn_node *n, uint32_t depth) {
  enum { MAX_LOOK = 12 };
  if (depth > MAX_LOOK) {
    return 1;
  }
  if (tn_is(n, TN_OP_INT)) {
    uint64_t value = (uint64_t)n->attr.i64 | TN_CG_ALIGN;
    return (uint32_t)(value & (~value + 1));
  }
  if (tn_is(n, TN_OP_ADD) || tn_is(n, TN_OP_SUB)) {
    uint32_t a = divisor_of(n->in[TN_A], depth + 1);
    uint32_t b = a == 1 ? 1 : divisor_of(n->in[TN_B], depth + 1);
    return a < b ? a : b;
  }
  if (tn_is(n, TN_OP_MUL)) {
    uint32_t both = divisor_of(n->in[TN_A], depth + 1) * divisor_of(n->in[TN_B], depth + 1);
    return both < TN_CG_ALIGN ? both : TN_CG_ALIGN;
  }
  return 1;
}

/* Of consecutive lanes from element `base` on. */
static unsigned align_of_lanes(tn_cg *cg, const access *a, const tn_node *base) {
  uint64_t known = 1;
  (void)tn_map_find(&cg->roots, a->buffer->in[TN_BUFFER_DATA]->id, &known);
  uint64_t align = (uint64_t)a->align * divisor_of(base, 0);
  align = align < known ? align : known;
  return align > a->align ? (unsigned)align : a->align;
}

static LLVMValueRef load_contiguous(tn_cg *cg, access *a) {
  LLVMTypeRef type = tn_cg_lanes_of(a->elem, a->lanes);
  LLVMValueRef address = element_address(cg, a, a->index->in[TN_RAMP_BASE]);
  a->align = align_of_lanes(cg, a, a->index->in[TN_RAMP_BASE]);
  if (a->mask == NULL) {
    return load_at(cg, a, type, address);
  }
  LLVMValueRef args[] = {address, tn_cg_i32(cg, a->align), a->mask, LLVMConstNull(type)};
  return call_masked(cg, "llvm.masked.load", 16, type, cg->ptr, args, 4);
}

static LLVMValueRef load_lanes(tn_cg *cg, const access *a) {
  LLVMTypeRef type = tn_cg_lanes_of(a->elem, a->lanes);
  if (a->mask != NULL) {
    return tn_cg_gather(cg, a->elem, lane_addresses(cg, a), a->mask, a->lanes, a->align);
  }
  LLVMValueRef out = LLVMGetPoison(type);
  for (uint32_t i = 0; i < a->lanes; ++i) {
    out = tn_cg_set_lane(cg, out, load_at(cg, a, a->elem, lane_address(cg, a, i)), i);
  }
  return out;
}

static bool is_every_second(const access *a) {
  return tn_is(a->index, TN_OP_RAMP) && tn_is_int(a->index->in[TN_RAMP_STRIDE], 2) &&
         a->mask == NULL && a->lanes >= 4 && a->lanes % 2 == 0;
}

/* Two vectors, from the first lane's element on and up to the last one's, have them all and nothing
 * outside; a tenth of the time that lane by lane takes. */
static LLVMValueRef load_every_second(tn_cg *cg, const access *a) {
  LLVMTypeRef type = tn_cg_lanes_of(a->elem, a->lanes);
  LLVMValueRef low = element_address(cg, a, a->index->in[TN_RAMP_BASE]);
  LLVMValueRef up = tn_cg_i64(cg, a->lanes - 1);
  LLVMValueRef high = LLVMBuildInBoundsGEP2(cg->builder, a->elem, low, &up, 1, "");
  LLVMValueRef picks = LLVMGetPoison(LLVMVectorType(cg->i32, a->lanes));
  for (uint32_t i = 0; i < a->lanes; ++i) {
    picks = tn_cg_set_lane(cg, picks, tn_cg_i32(cg, 2 * i + (i < a->lanes / 2 ? 0 : 1)), i);
  }
  return LLVMBuildShuffleVector(cg->builder, load_at(cg, a, type, low), load_at(cg, a, type, high),
                                picks, "");
}

LLVMValueRef tn_cg_load(tn_cg *cg, const tn_node *n) {
  access a;
  if (!describe(cg, &a, n, TN_LOAD_INDICES, n->in[TN_LOAD_PREDICATE], n->dtype)) {
    return tn_cg_poison(cg, n->dtype);
  }
  LLVMValueRef value = NULL;
  if (tn_dtype_is_packed(n->dtype)) {
    value = load_packed(cg, &a);
  } else if (a.lanes == 1) {
    value = load_element_if(cg, &a, a.mask, a.index);
  } else if (is_contiguous(a.index)) {
    value = load_contiguous(cg, &a);
  } else if (tn_is(a.index, TN_OP_BROADCAST) && a.mask == NULL) {
    value = tn_cg_splat(cg, load_element_if(cg, &a, NULL, a.index->in[0]), a.lanes);
  } else if (is_every_second(&a)) {
    value = load_every_second(cg, &a);
  } else {
    value = load_lanes(cg, &a);
  }
  return from_memory(cg, value, n->dtype);
}

LLVMValueRef tn_cg_address_of(tn_cg *cg, const tn_node *load) {
  access a;
  if (!describe(cg, &a, load, TN_LOAD_INDICES, load->in[TN_LOAD_PREDICATE], load->dtype)) {
    return LLVMGetPoison(cg->ptr);
  }
  if (tn_dtype_is_packed(load->dtype)) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "the address of an element of 4 bits: two of them share a byte");
    return LLVMGetPoison(cg->ptr);
  }
  if (a.lanes > 1 && !is_contiguous(a.index)) {
    tn_cg_fail(cg, TN_UNSUPPORTED, "the address of scattered lanes");
    return LLVMGetPoison(cg->ptr);
  }
  return element_address(cg, &a, a.lanes > 1 ? a.index->in[TN_RAMP_BASE] : a.index);
}

/* ---- stores ---- */

static void store_element(tn_cg *cg, const access *a, LLVMValueRef value) {
  LLVMValueRef address = element_address(cg, a, a->index);
  if (a->mask == NULL) {
    store_at(cg, a, value, address);
    return;
  }
  LLVMBasicBlockRef then = tn_cg_block(cg, "store");
  LLVMBasicBlockRef join = tn_cg_block(cg, "stored");
  LLVMBuildCondBr(cg->builder, a->mask, then, join);
  tn_cg_at(cg, then);
  store_at(cg, a, value, address);
  LLVMBuildBr(cg->builder, join);
  tn_cg_at(cg, join);
}

static void store_contiguous(tn_cg *cg, access *a, LLVMValueRef value) {
  LLVMValueRef address = element_address(cg, a, a->index->in[TN_RAMP_BASE]);
  a->align = align_of_lanes(cg, a, a->index->in[TN_RAMP_BASE]);
  if (a->mask == NULL) {
    store_at(cg, a, value, address);
    return;
  }
  LLVMValueRef args[] = {value, address, tn_cg_i32(cg, a->align), a->mask};
  call_masked(cg, "llvm.masked.store", 17, LLVMTypeOf(value), cg->ptr, args, 4);
}

/* Lane order decides where two lanes name one element; scatter keeps it too. */
static void store_lanes(tn_cg *cg, const access *a, LLVMValueRef value) {
  if (a->mask != NULL) {
    LLVMValueRef addresses = lane_addresses(cg, a);
    LLVMValueRef args[] = {value, addresses, tn_cg_i32(cg, a->align), a->mask};
    call_masked(cg, "llvm.masked.scatter", 19, LLVMTypeOf(value), LLVMTypeOf(addresses), args, 4);
    return;
  }
  for (uint32_t i = 0; i < a->lanes; ++i) {
    store_at(cg, a, tn_cg_lane(cg, value, i), lane_address(cg, a, i));
  }
}

void tn_cg_store(tn_cg *cg, const tn_node *n) {
  access a;
  const tn_node *value_node = n->in[TN_STORE_VALUE];
  LLVMValueRef value = tn_cg_expr(cg, value_node);
  if (!describe(cg, &a, n, TN_STORE_INDICES, n->in[TN_STORE_PREDICATE], value_node->dtype)) {
    return;
  }
  value = to_memory(cg, value, value_node->dtype);
  if (tn_dtype_is_packed(value_node->dtype)) {
    store_packed(cg, &a, value);
  } else if (a.lanes == 1) {
    store_element(cg, &a, value);
  } else if (is_contiguous(a.index)) {
    store_contiguous(cg, &a, value);
  } else {
    store_lanes(cg, &a, value);
  }
}
