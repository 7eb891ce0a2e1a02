/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Executables: what is refused and with which words; damaged images in every byte and at every
 * length; the disassembly; and loading from a file. */
#include <elf.h>

#include "base/file.h"
#include "base/rng.h"
#include "runtime/mem.h"
#include "runtime_asm.h"

static int32_t nothing(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)env;
  (void)args;
  (void)n_args;
  return 0;
}

static tn_kernel_fn find_nothing(void *ctx, const char *name) {
  (void)ctx;
  return strcmp(name, "missing") == 0 ? NULL : nothing;
}

/* One of everything. */
static void sample(tn_asm *a) {
  const float weights[] = {1, 2, 3};
  uint32_t add = asm_outside(a, TN_EXEC_FN_KERNEL, "add", "add(A: Tensor((3,), float32))");
  uint32_t log = asm_outside(a, TN_EXEC_FN_PACKED, "env.log", "");
  asm_const_tensor(a, TN_DT_F32, 1, (const int64_t[]){3}, weights, sizeof weights);
  uint32_t text = asm_const_text(a, "x of f");
  tn_exec_const number = {.kind = TN_EXEC_C_INT, .bits = -5};
  TN_VEC_PUSH(&a->consts, number);
  double half = 0.5;
  tn_exec_const real = {.kind = TN_EXEC_C_FLOAT};
  memcpy(&real.bits, &half, sizeof half);
  TN_VEC_PUSH(&a->consts, real);
  tn_exec_const shape = {.kind = TN_EXEC_C_SHAPE};
  shape.type = asm_type_of(a, "", TN_EXEC_TY_SHAPE, 0, 2, (const int64_t[]){2, 3});
  TN_VEC_PUSH(&a->consts, shape);
  uint32_t self = asm_begin(a, "f", 1, 5, 3);
  asm_tensor(a, "x", TN_DT_F32, 1, -1);
  asm_any(a, "");
  EMIT(a, TN_VM_MATCH, 0, text, TN_DT_F32, 1, 1, TN_ARGW(TN_VM_DIM_STORE, 0));
  EMIT(a, TN_VM_SHAPE_OP, 1, TN_VM_SH_MUL, S(0), I(4));
  EMIT(a, TN_VM_ALLOC_STORAGE, 1, S(1), 0, 1);
  EMIT(a, TN_VM_ALLOC_TENSOR, 2, 1, 0, TN_DT_F32, 1, S(0));
  EMIT(a, TN_VM_CALL, -1, add, 3, R(0), C(0), R(2));
  int64_t branch = asm_here(a);
  EMIT(a, TN_VM_BRANCH_FALSE, 0, branch + 3 + 7);
  EMIT(a, TN_VM_CALL, 3, log, 3, R(2), C(1), I(-1));
  EMIT(a, TN_VM_MAKE_CLOSURE, 4, self, 0);
  EMIT(a, TN_VM_CALL_VALUE, 3, 4, 1, R(0));
  EMIT(a, TN_VM_MAKE_TUPLE, 3, 2, R(2), F(self));
  EMIT(a, TN_VM_TUPLE_GET, 4, 3, 0);
  EMIT(a, TN_VM_MAKE_SHAPE, 4, 2, I(2), S(0));
  EMIT(a, TN_VM_SHAPE_OF, 4, 0);
  EMIT(a, TN_VM_COPY_TENSOR, 4, 0);
  EMIT(a, TN_VM_MOVE, 4, C(2));
  EMIT(a, TN_VM_TO_SLOT, 2, 4);
  EMIT(a, TN_VM_KILL, 1);
  EMIT(a, TN_VM_RET, R(2));
  asm_end(a);
}

static tn_image sample_image(void) {
  tn_asm a = {0};
  sample(&a);
  return asm_finish(&a);
}

static tn_status try_image(const tn_image *image, size_t n_bytes) {
  tn_exec *exec = NULL;
  tn_status st = tn_exec_from_memory(image->bytes, n_bytes, find_nothing, NULL, NULL, &exec);
  if (st == NULL) { /* whatever is accepted must print */
    char *text = NULL;
    st = tn_exec_print(exec, &text);
    free(text);
  }
  tn_exec_release(exec);
  return st;
}

static void reseal(tn_image *image) {
  uint64_t sum = tn_exec_checksum(image->bytes, image->n_bytes);
  memcpy(image->bytes + offsetof(tn_exec_header, checksum), &sum, sizeof sum);
}

static void an_executable_prints(void **state) {
  (void)state;
  tn_image image = sample_image();
  tn_exec *exec = NULL;
  char *text = NULL;
  expect_ok(tn_exec_from_memory(image.bytes, image.n_bytes, find_nothing, NULL, NULL, &exec));
  expect_ok(tn_exec_print(exec, &text));
  expect_text(text, "executable version 1, arch 0, cpu features '', by ''\n"
                    "constants\n"
                    "  c0  tensor float32 (3,) 12 bytes \n"
                    "  c1  text \"x of f\"\n"
                    "  c2  int -5\n"
                    "  c3  float 0.5\n"
                    "  c4  shape (2, 3)\n"
                    "kernel @add  add(A: Tensor((3,), float32))\n"
                    "packed @env.log\n"
                    "public vm @f\n"
                    "  1 parameters, 5 registers, 3 slots\n"
                    "  x \n"
                    "  -> \n"
                    "     0  match          r0, c1, float32, 1, ->s0\n"
                    "     7  shape_op       s1, mul, s0, #4\n"
                    "    12  alloc_storage  r1, s1, 0, 1\n"
                    "    17  alloc_tensor   r2, r1, 0, float32, s0\n"
                    "    24  call           _, @add, r0, c0, r2\n"
                    "    31  branch_false   r0, ->41\n"
                    "    34  call           r3, @env.log, r2, c1, #-1\n"
                    "    41  make_closure   r4, @f\n"
                    "    45  call_value     r3, r4, r0\n"
                    "    50  make_tuple     r3, r2, @f\n"
                    "    55  tuple_get      r4, r3, 0\n"
                    "    59  make_shape     r4, #2, s0\n"
                    "    64  shape_of       r4, r0\n"
                    "    67  copy_tensor    r4, r0\n"
                    "    70  move           r4, c2\n"
                    "    73  to_slot        s2, r4\n"
                    "    76  kill           r1\n"
                    "    78  ret            r2\n");
  free(text);
  assert_int_equal(tn_exec_n_functions(exec), 1);
  assert_string_equal(tn_exec_function_name(exec, 0), "f");
  assert_string_equal(tn_exec_function_name(exec, 1), "");
  assert_int_equal(tn_exec_find_function(exec, "f"), 0);
  assert_int_equal(tn_exec_find_function(exec, "add"), -1);
  assert_int_equal(tn_exec_n_params(exec, 0), 1);
  tn_param_info info;
  expect_ok(tn_exec_param(exec, 0, 0, &info));
  assert_string_equal(info.name, "x");
  assert_int_equal(info.dtype, TN_DT_F32);
  assert_int_equal(info.dims[0], -1);
  expect_ok(tn_exec_param(exec, 0, 1, &info));
  expect_error(tn_exec_param(exec, 0, 2, &info), TN_INVALID, "no parameter 2");
  tn_exec_release(exec);
  tn_image_deinit(&image);
}

static void every_truncation_is_refused(void **state) {
  (void)state;
  tn_image image = sample_image();
  for (size_t n = 0; n < image.n_bytes; n += n < 2048 ? 1 : 97) {
    tn_status st = try_image(&image, n);
    expect_true(st != NULL && tn_status_code(st) == TN_CORRUPT, "%zu bytes", n);
    tn_status_free(st);
  }
  expect_ok(try_image(&image, image.n_bytes));
  tn_image_deinit(&image);
}

static void every_flipped_byte_is_noticed(void **state) {
  (void)state;
  tn_image image = sample_image();
  for (size_t i = 0; i < image.n_bytes; ++i) {
    image.bytes[i] ^= (uint8_t)(1U << (i % 8));
    tn_status st = try_image(&image, image.n_bytes);
    expect_true(st != NULL, "byte %zu", i);
    tn_status_free(st);
    image.bytes[i] ^= (uint8_t)(1U << (i % 8));
  }
  tn_image_deinit(&image);
}

/* With a right checksum all other checks must hold alone: nothing may crash, whatever the answer.
 */
static void forged_images_do_no_harm(void **state) {
  (void)state;
  tn_image image = sample_image();
  tn_rng rng = tn_rng_make(1);
  size_t n_refused = 0;
  size_t n_used = image.n_bytes < 4096 ? image.n_bytes : 4096;
  enum { ROUNDS = 20000 };
  for (int round = 0; round < ROUNDS; ++round) {
    uint64_t saved[4];
    size_t at[4];
    size_t n_edits = 1 + tn_rng_below(&rng, 4);
    for (size_t k = 0; k < n_edits; ++k) {
      uint64_t word = tn_rng_below(&rng, 2) == 0 ? tn_rng_below(&rng, 300)
                                                 : tn_rng_next(&rng) >> tn_rng_below(&rng, 64);
      at[k] = tn_rng_below(&rng, n_used / 4 - 1) * 4;
      memcpy(&saved[k], image.bytes + at[k], 8);
      memcpy(image.bytes + at[k], &word, tn_rng_below(&rng, 2) == 0 ? 4 : 8);
    }
    reseal(&image);
    tn_status st = try_image(&image, image.n_bytes);
    n_refused += st != NULL;
    tn_status_free(st);
    for (size_t k = n_edits; k-- > 0;) {
      memcpy(image.bytes + at[k], &saved[k], 8);
    }
  }
  expect_true(n_refused > ROUNDS / 3, "%zu refused", n_refused);
  reseal(&image);
  expect_ok(try_image(&image, image.n_bytes));
  tn_image_deinit(&image);
}

static void patch_u32(tn_image *image, size_t offset, uint32_t value) {
  memcpy(image->bytes + offset, &value, sizeof value);
  reseal(image);
}

static void other_versions_and_machines_are_named(void **state) {
  (void)state;
  tn_image image = sample_image();
  patch_u32(&image, offsetof(tn_exec_header, version), 7);
  expect_error(try_image(&image, image.n_bytes), TN_UNSUPPORTED,
               "format version 7; this runtime reads version 1");
  patch_u32(&image, offsetof(tn_exec_header, version), 1);
  uint32_t other =
      tn_elf_this_arch() == TN_EXEC_ARCH_X86_64 ? TN_EXEC_ARCH_AARCH64 : TN_EXEC_ARCH_X86_64;
  patch_u32(&image, offsetof(tn_exec_header, arch), other);
  expect_error(try_image(&image, image.n_bytes), TN_UNSUPPORTED, "another architecture (AArch64");
  patch_u32(&image, offsetof(tn_exec_header, arch), 0);
  uint64_t magic = 0;
  memcpy(image.bytes, &magic, sizeof magic);
  expect_error(try_image(&image, image.n_bytes), TN_CORRUPT, "not an executable");
  tn_image_deinit(&image);
  expect_error(tn_cpu_check_features("sse2,quantum"), TN_UNSUPPORTED, "'quantum'");
  expect_ok(tn_cpu_check_features(""));
#if defined(__x86_64__)
  expect_ok(tn_cpu_check_features("+sse,+sse2"));
  /* amx-int8 with bf16 of AVX-512 and no machine at all: one of them is missing nearly everywhere
   */
  tn_status st = tn_cpu_check_features("avx512fp16,amx-int8,avx512bf16,avxvnni");
  assert_true(st == NULL || strstr(tn_status_message(st), "lacks: ") != NULL);
  tn_status_free(st);
#endif
}

static tn_exec_section section_of(const tn_image *image, uint32_t kind) {
  tn_exec_section s = {0};
  for (size_t i = 0; s.kind != kind; ++i) {
    memcpy(&s, image->bytes + sizeof(tn_exec_header) + i * sizeof s, sizeof s);
  }
  return s;
}

/* Where the entry of `kind` stands in the table of sections. */
static size_t row_of(const tn_image *image, uint32_t kind) {
  tn_exec_section s = {0};
  size_t at = sizeof(tn_exec_header);
  for (; s.kind != kind; at += sizeof s) {
    memcpy(&s, image->bytes + at, sizeof s);
  }
  return at - sizeof s;
}

static void each_field_of_the_layout_is_checked(void **state) {
  (void)state;
  enum { VM_FUNC = 2, SHAPE_CONST = 4 }; /* of the sample */
  tn_image sound = sample_image();
  const size_t sections = sizeof(tn_exec_header);
  const size_t funcs = section_of(&sound, TN_EXEC_FUNCS).offset + VM_FUNC * sizeof(tn_exec_func);
  const size_t consts =
      section_of(&sound, TN_EXEC_CONSTS).offset + SHAPE_CONST * sizeof(tn_exec_const);
  const tn_exec_section dims = section_of(&sound, TN_EXEC_DIMS);
  tn_exec_section first;
  memcpy(&first, sound.bytes + sections, sizeof first);
  const struct {
    size_t offset;
    uint32_t value;
    const char *part;
  } rows[] = {
      {offsetof(tn_exec_header, reserved), 1, "a reserved word of the executable's header"},
      {offsetof(tn_exec_header, n_sections), 9, "the executable has 9 sections; there are 8 kinds"},
      {row_of(&sound, TN_EXEC_DIMS) + offsetof(tn_exec_section, n_bytes),
       (uint32_t)dims.n_bytes - 1, "section 4 has a broken last entry"},
      {sections + sizeof first + offsetof(tn_exec_section, kind), first.kind, "is there twice"},
      {section_of(&sound, TN_EXEC_STRINGS).offset, 0x01010101, "does not start and end with a NUL"},
      {funcs + offsetof(tn_exec_func, code_end), 0, "the code of function 'f' is empty"},
      {consts + offsetof(tn_exec_const, kind), 99, "constant 4 is of unknown kind 99"},
      {consts + offsetof(tn_exec_const, type) + offsetof(tn_exec_type, ndim), UINT32_MAX,
       "shape constant 4 has no rank"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    uint32_t old = 0;
    memcpy(&old, sound.bytes + rows[i].offset, sizeof old);
    patch_u32(&sound, rows[i].offset, rows[i].value);
    expect_error(try_image(&sound, sound.n_bytes), TN_CORRUPT, rows[i].part);
    patch_u32(&sound, rows[i].offset, old);
  }
  expect_ok(try_image(&sound, sound.n_bytes));
  sound.n_bytes = sizeof(tn_exec_header); /* a table of sections and no bytes for it */
  patch_u32(&sound, offsetof(tn_exec_header, n_bytes), sizeof(tn_exec_header));
  expect_error(try_image(&sound, sound.n_bytes), TN_CORRUPT, "the section table leaves");
  tn_image_deinit(&sound);
}

static void sections_that_make_no_image_are_refused(void **state) {
  (void)state;
  const tn_image_section rows[][2] = {
      {{.kind = 99, .bytes = "", .n_bytes = 1}},
      {{.kind = TN_EXEC_STRINGS, .bytes = "", .n_bytes = 1},
       {.kind = TN_EXEC_STRINGS, .bytes = "", .n_bytes = 1}},
      {{.kind = TN_EXEC_STRINGS, .bytes = "text", .n_bytes = 5}},
  };
  static const char *const parts[] = {"has unknown kind 99", "section kind 1 is given twice",
                                      "must start and end with a NUL"};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_image image;
    const tn_image_spec spec = {.sections = rows[i], .n_sections = i == 1 ? 2 : 1};
    expect_error(tn_image_build(&spec, &image), TN_INVALID, parts[i]);
  }
}

/* A shared object as far as its headers go. */
typedef struct small_elf {
  Elf64_Ehdr header;
  Elf64_Phdr segment;
} small_elf;

static small_elf elf_of(void) {
  small_elf e = {
      .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                 .e_type = ET_DYN,
                 .e_machine = (Elf64_Half)tn_elf_this_arch(),
                 .e_phoff = sizeof(Elf64_Ehdr),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 1},
      .segment = {.p_type = PT_LOAD, .p_filesz = sizeof(small_elf)}};
  return e;
}

static void shared_objects_are_looked_through_before_they_are_mapped(void **state) {
  (void)state;
  small_elf e = elf_of();
  expect_ok(tn_elf_check((const uint8_t *)&e, sizeof e, 0));
  e.header.e_type = ET_REL;
  expect_error(tn_elf_check((const uint8_t *)&e, sizeof e, 0), TN_UNSUPPORTED, "an object file");
  e = elf_of();
  e.header.e_ident[EI_CLASS] = ELFCLASS32;
  expect_error(tn_elf_check((const uint8_t *)&e, sizeof e, 0), TN_UNSUPPORTED, "are not a 64-bit");
  e = elf_of();
  e.segment.p_offset = 1;
  expect_error(tn_elf_check((const uint8_t *)&e, sizeof e, 0), TN_CORRUPT, "segment 0 lies past");
}

/* One broken thing a row, made with the assembler so that only the check in question can refuse it.
 */
typedef void (*breaker)(tn_asm *a);

static void begin(tn_asm *a) {
  asm_begin(a, "f", 0, 2, 1);
  asm_any(a, "");
}
static void bad_register(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_RET, R(2));
}
static void bad_slot(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_RET, S(1));
}
static void bad_const(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_RET, C(0));
}
static void bad_func(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_CALL, 0, 1, 0);
  EMIT(a, TN_VM_RET, I(0));
}
static void bad_opcode(tn_asm *a) {
  begin(a);
  EMIT(a, 99);
}
static void bad_arg_kind(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_RET, TN_ARGW(9, 0));
}
static void bad_target(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_JUMP, 1);
}
static void far_target(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_JUMP, 1000);
}
static void no_end(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_KILL, 0);
}
static void cut_short(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_MAKE_TUPLE, 0, 5, I(1));
}
static void negative_count(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_MAKE_TUPLE, 0, -1);
  EMIT(a, TN_VM_RET, I(1));
}
static void wrong_count(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_CALL, 0, 0, 1, I(0));
  EMIT(a, TN_VM_RET, I(0));
}
static void wrong_tail_count(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_TAIL_CALL, 0, 1, I(0));
}
static void tail_call_of_kernel(tn_asm *a) {
  uint32_t k = asm_outside(a, TN_EXEC_FN_KERNEL, "k", "");
  begin(a);
  EMIT(a, TN_VM_TAIL_CALL, k, 0);
}
static void tail_call_of_packed(tn_asm *a) {
  uint32_t g = asm_outside(a, TN_EXEC_FN_PACKED, "g", "");
  begin(a);
  EMIT(a, TN_VM_TAIL_CALL, g, 0);
}
static void tail_call_of_none(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_TAIL_CALL, 1, 0);
}
static void tail_call_cut_short(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_TAIL_CALL, 0, 3, I(0));
}
static void bad_shape_op(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_SHAPE_OP, 0, 77, I(0), I(0));
  EMIT(a, TN_VM_RET, I(0));
}
static void bad_dtype(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_ALLOC_TENSOR, 0, 1, 0, 77, 0);
  EMIT(a, TN_VM_RET, I(0));
}
static void int_from_const(tn_asm *a) {
  asm_const_text(a, "x");
  begin(a);
  EMIT(a, TN_VM_MAKE_SHAPE, 0, 1, C(0));
  EMIT(a, TN_VM_RET, I(0));
}
static void kernel_with_result(tn_asm *a) {
  uint32_t k = asm_outside(a, TN_EXEC_FN_KERNEL, "k", "");
  begin(a);
  EMIT(a, TN_VM_CALL, 0, k, 0);
  EMIT(a, TN_VM_RET, I(0));
}
static void kernel_as_value(tn_asm *a) {
  uint32_t k = asm_outside(a, TN_EXEC_FN_KERNEL, "k", "");
  TN_VEC_LAST(&a->funcs).params = UINT32_MAX; /* not looked at: the kernel is not public */
  begin(a);
  EMIT(a, TN_VM_RET, F(k));
}
static void missing_kernel(tn_asm *a) { asm_outside(a, TN_EXEC_FN_KERNEL, "missing", ""); }
static void twice(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_RET, I(0));
  asm_end(a);
  begin(a);
  EMIT(a, TN_VM_RET, I(0));
}
static void huge_frame(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_RET, I(0));
  TN_VEC_LAST(&a->funcs).n_regs = UINT32_MAX;
}
static void huge_rank(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_MATCH, 0, asm_const_text(a, "x"), TN_DT_F32, 17, 0);
  EMIT(a, TN_VM_RET, I(0));
}
static void many_functions(tn_asm *a) {
  for (int i = 0; i <= TN_EXEC_MAX_PARAMS; ++i) {
    asm_outside(a, TN_EXEC_FN_PACKED, "g", "");
  }
}
static void const_too_long(tn_asm *a) {
  asm_const_tensor(a, TN_DT_F32, 1, (const int64_t[]){400}, "1234", 4);
}
static void shared_code(tn_asm *a) {
  begin(a);
  EMIT(a, TN_VM_RET, I(0));
  asm_end(a);
  tn_exec_func copy = TN_VEC_LAST(&a->funcs);
  copy.is_public = 0;
  TN_VEC_PUSH(&a->funcs, copy);
  copy.code_end = (uint32_t)asm_here(a);
}

static void each_check_refuses_its_case(void **state) {
  (void)state;
  const struct {
    const char *name;
    breaker make;
    const char *part;
  } rows[] = {
      {"bad_register", bad_register, "word 0 (ret): operand 1 is out of range"},
      {"bad_slot", bad_slot, "operand 1 is out of range"},
      {"bad_const", bad_const, "operand 1 is out of range"},
      {"bad_func", bad_func, "(call): operand 2 is out of range"},
      {"bad_opcode", bad_opcode, "not an instruction"},
      {"bad_arg_kind", bad_arg_kind, "operand 1 is out of range"},
      {"bad_target", bad_target, "(jump): operand 1 is out of range"},
      {"far_target", far_target, "(jump): operand 1 is out of range"},
      {"no_end", no_end, "runs past its end"},
      {"cut_short", cut_short, "cut short"},
      {"negative_count", negative_count, "cut short"},
      {"wrong_count", wrong_count, "wrong number of arguments"},
      {"wrong_tail_count", wrong_tail_count, "no function of the machine"},
      {"tail_call_of_kernel", tail_call_of_kernel, "no function of the machine"},
      {"tail_call_of_packed", tail_call_of_packed, "no function of the machine"},
      {"tail_call_of_none", tail_call_of_none, "(tail_call): operand 1 is out of range"},
      {"tail_call_cut_short", tail_call_cut_short, "cut short"},
      {"bad_shape_op", bad_shape_op, "operand 2 is out of range"},
      {"bad_dtype", bad_dtype, "operand 4 is out of range"},
      {"int_from_const", int_from_const, "operand 3 is out of range"},
      {"kernel_with_result", kernel_with_result, "no result"},
      {"kernel_as_value", kernel_as_value, "(ret): operand 1 is out of range"},
      {"missing_kernel", missing_kernel, "no code for its kernel 'missing'"},
      {"twice", twice, "two public functions are called 'f'"},
      {"many_functions", many_functions, "the executable has 65537 functions"},
      {"huge_rank", huge_rank, "too many dimensions"},
      {"huge_frame", huge_frame, "4294967295 registers"},
      {"const_too_long", const_too_long, "does not fit its type"},
      {"shared_code", shared_code, "more code than there is"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_asm a = {0};
    rows[i].make(&a);
    if (a.funcs.len > 0 && TN_VEC_LAST(&a.funcs).code_end == 0) {
      asm_end(&a);
    }
    tn_image image = asm_finish(&a);
    tn_status st = try_image(&image, image.n_bytes);
    expect_true(st != NULL && strstr(tn_status_message(st), rows[i].part) != NULL, "%s: %s",
                rows[i].name, tn_status_message(st));
    tn_status_free(st);
    tn_image_deinit(&image);
  }
}

static void an_unaligned_image_is_copied(void **state) {
  (void)state;
  tn_image image = sample_image();
  uint8_t *block = tn_mem_alloc_aligned(image.n_bytes + 8, 64);
  tn_exec *exec = NULL;
  memcpy(block + 8, image.bytes, image.n_bytes);
  expect_ok(tn_exec_from_memory(block + 8, image.n_bytes, find_nothing, NULL, NULL, &exec));
  tn_mem_free(block);
  assert_string_equal(tn_exec_function_name(exec, 0), "f");
  tn_exec_release(exec);
  tn_image_deinit(&image);
}

static void files_are_loaded_and_refused_with_their_path(void **state) {
  (void)state;
  tn_asm a = {0};
  tn_exec *exec = NULL;
  char *root = NULL;
  char path[512];
  begin(&a);
  EMIT(&a, TN_VM_RET, I(3));
  asm_end(&a);
  tn_image image = asm_finish(&a);
  expect_ok(tn_dir_make_temp(&root));
  snprintf(path, sizeof path, "%s/m.tnx", root);
  expect_error(tn_exec_load(path, &exec), TN_NOT_FOUND, "m.tnx");
  expect_ok(tn_file_write(path, image.bytes, image.n_bytes));
  expect_ok(tn_exec_load(path, &exec));
  tn_exec_release(exec);
  exec = NULL;
  expect_ok(tn_file_write(path, image.bytes, image.n_bytes - 1));
  expect_error(tn_exec_load(path, &exec), TN_CORRUPT, "m.tnx: the executable is cut short");
  expect_ok(tn_file_write(path, "", 0));
  expect_error(tn_exec_load(path, &exec), TN_CORRUPT, "0 bytes are less than its header");
  expect_ok(tn_file_write(path, "\177ELF and no more", 16));
  expect_error(tn_exec_load(path, &exec), TN_CORRUPT, "cut short");
  expect_error(tn_exec_load(root, &exec), TN_INVALID, root);
  assert_null(exec);
  tn_image_deinit(&image);
  tn_dir_remove_temp(root);
  free(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_executable_prints),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(every_flipped_byte_is_noticed),
      cmocka_unit_test(forged_images_do_no_harm),
      cmocka_unit_test(other_versions_and_machines_are_named),
      cmocka_unit_test(each_field_of_the_layout_is_checked),
      cmocka_unit_test(sections_that_make_no_image_are_refused),
      cmocka_unit_test(shared_objects_are_looked_through_before_they_are_mapped),
      cmocka_unit_test(each_check_refuses_its_case),
      cmocka_unit_test(an_unaligned_image_is_copied),
      cmocka_unit_test(files_are_loaded_and_refused_with_their_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
