/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What became of the loops: reads the assembly that LLVM writes for the module, whose comments say
 * which loop a block belongs to and which access of the stack is a register that found no room
 * ("32-byte Spill"; an array on the stack has none). Sizes come from the object file's symbols. The
 * code of kernel K is in the symbols K (checks the arguments), K.body and K.parallelN. */
#include <llvm-c/Object.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "codegen/llvm/cg.h"

enum { N_REGS = 16, WORD_BYTES = 8, MAX_LABEL = 32 };

/* A loop of the function being read, known by its first block's label. */
typedef struct loop {
  char label[MAX_LABEL]; /* "BB1_3" */
  bool is_innermost;
  tn_code_loop code;
} loop;

typedef struct reader {
  tn_code_report *report;
  tn_code_kernel *kernel; /* of the function being read; NULL: none, or the one that checks */
  TN_VEC(loop) loops;     /* of this function */
  char block[MAX_LABEL];
  char var[TN_CODE_VAR_BYTES]; /* of the block */
  size_t at;                   /* 1 + the loop that the block belongs to; 0: none */
  int64_t pushed;
  int64_t reserved;
  int64_t below; /* what lies beneath the stack pointer: functions that call nothing may use it */
} reader;

/* ---- words ---- */

static bool has_word(const char *line, const char *word) { return strstr(line, word) != NULL; }

static bool starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static bool is_one_of(const char *text, const char *const *words, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (starts(text, words[i])) {
      return true;
    }
  }
  return false;
}

#define IS_ONE_OF(text, words) is_one_of(text, words, sizeof(words) / sizeof *(words))

/* The number behind `key`, or -1. */
static int64_t number_after(const char *line, const char *key) {
  const char *at = strstr(line, key);
  return at != NULL ? strtoll(at + strlen(key), NULL, 10) : -1;
}

/* Letters, digits and _ at `text`. */
static void copy_label(const char *text, char label[MAX_LABEL]) {
  size_t n = strspn(text, "BL_0123456789");
  n = n < MAX_LABEL ? n : MAX_LABEL - 1;
  memcpy(label, text, n);
  label[n] = '\0';
}

/* ---- loops ---- */

static size_t loop_at(reader *r, const char *label, int64_t depth) {
  for (size_t i = 0; i < r->loops.len; ++i) {
    if (strcmp(r->loops.data[i].label, label) == 0) {
      return i + 1;
    }
  }
  loop l = {.code = {.depth = (int32_t)depth}};
  memcpy(l.label, label, MAX_LABEL);
  TN_VEC_PUSH(&r->loops, l);
  return r->loops.len;
}

/* The variable of a block that loop.c named "%loop.k.", or nothing. */
static void read_var(const char *comment, char var[TN_CODE_VAR_BYTES]) {
  const char *name = strstr(comment, "%loop.");
  size_t len = name != NULL ? strcspn(name + strlen("%loop."), ".") : 0;
  if (len > 0 && len < TN_CODE_VAR_BYTES) {
    memcpy(var, name + strlen("%loop."), len);
    var[len] = '\0';
  }
}

/* "=> This Inner Loop Header: Depth=3", "in Loop: Header=BB1_3 Depth=3", "32-byte Folded Reload" */
static void read_comment(reader *r, const char *text) {
  int64_t depth = number_after(text, "Depth=");
  char label[MAX_LABEL];
  if (has_word(text, "Loop Header: Depth=")) {
    r->at = loop_at(r, r->block, depth);
    r->loops.data[r->at - 1].is_innermost = has_word(text, "This Inner Loop");
    memcpy(r->loops.data[r->at - 1].code.var, r->var, TN_CODE_VAR_BYTES);
  } else if (has_word(text, "in Loop: Header=")) {
    copy_label(strstr(text, "Header=") + strlen("Header="), label);
    r->at = loop_at(r, label, depth);
  }
  const char *bytes = strstr(text, "-byte ");
  if (bytes == NULL || r->at == 0) {
    return;
  }
  tn_code_loop *code = &r->loops.data[r->at - 1].code;
  bool is_spill = has_word(bytes, "Spill");
  if (!is_spill && !has_word(bytes, "Reload")) {
    return;
  }
  code->n_spills += is_spill;
  code->n_reloads += !is_spill;
  r->kernel->n_spills += is_spill;
  r->kernel->n_reloads += !is_spill;
  const char *number = bytes;
  while (number > text && number[-1] >= '0' && number[-1] <= '9') {
    --number;
  }
  /* for now: of vectors; whether the loop multiplies and adds is known at its end */
  code->is_tile_spilled = code->is_tile_spilled || strtoll(number, NULL, 10) >= 16;
}

/* ---- instructions ---- */

/* Scalars lie in vector registers too: clearing, copying and masking one takes instructions of whole
 * registers, which say nothing. */
static int32_t vector_bytes_of(const char *name, const char *operands) {
  static const char *const for_scalars[] = {"vxor",  "vpxor",  "xorp",  "pxor",   "vand",  "andp",
                                            "andnp", "vorp",   "orp",   "vmovd",  "vmovq", "movd",
                                            "movq",  "vcvtsi", "cvtsi", "vcvtusi"};
  size_t len = strlen(name);
  const char *type = len > 2 ? name + len - 2 : "";
  if (has_word(operands, "%zmm")) {
    return 64;
  }
  if (has_word(operands, "%ymm")) {
    return 32;
  }
  bool is_copy = has_word(name, "mova") && strchr(operands, '(') == NULL;
  bool is_vector = has_word(operands, "%xmm") && strcmp(type, "ss") != 0 &&
                   strcmp(type, "sd") != 0 && !is_copy && !IS_ONE_OF(name, for_scalars);
  return is_vector ? 16 : 0;
}

/* Where memory stands among the operands: the last one is written, unless nothing is. */
static void count_memory(tn_code_loop *code, const char *name, const char *operands) {
  static const char *const readers[] = {"cmp",   "test",   "ucomi", "vucomi", "comi",
                                        "vcomi", "vptest", "call",  "jmp",    "bt"};
  const char *memory = strchr(operands, '(');
  if (memory == NULL || starts(name, "lea") || starts(name, "nop")) {
    return;
  }
  if (starts(name, "prefetch")) {
    ++code->n_prefetches;
    return;
  }
  const char *end = strchr(memory, ')');
  bool is_last = end != NULL && strchr(end, ',') == NULL;
  bool is_both = is_last && strchr(operands, ',') != NULL && strstr(name, "mov") == NULL &&
                 name[0] != 'v' && !IS_ONE_OF(name, readers); /* addl $1, (%rax) */
  bool is_store = is_last && !IS_ONE_OF(name, readers);
  code->n_stores += is_store;
  code->n_loads += !is_store || is_both;
  code->n_broadcasts += starts(name, "vbroadcast") || starts(name, "vpbroadcast") ||
                        starts(name, "vmovddup") || has_word(operands, "{1to");
}

static void count_instr(reader *r, const char *name, const char *operands, bool is_spill) {
  static const char *const fmas[] = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "vdpbf16ps", "vpdp"};
  tn_code_loop *code = &r->loops.data[r->at - 1].code;
  int32_t bytes = vector_bytes_of(name, operands);
  ++code->n_instrs;
  code->n_fmas += IS_ONE_OF(name, fmas);
  code->vector_bytes = bytes > code->vector_bytes ? bytes : code->vector_bytes;
  if (!is_spill) {
    count_memory(code, name, operands);
  }
}

/* subq $40, %rsp; pushq %rbx; anything at -24(%rsp) */
static void count_stack(reader *r, const char *name, const char *operands) {
  const char *at = strstr(operands, "(%rsp");
  if (strcmp(name, "pushq") == 0 && operands[0] == '%') {
    r->pushed += WORD_BYTES;
  } else if (strcmp(name, "subq") == 0 && operands[0] == '$' && has_word(operands, ", %rsp")) {
    r->reserved += strtoll(operands + 1, NULL, 0);
  } else if (at != NULL) {
    while (at > operands && at[-1] != ' ' && at[-1] != ',' && at[-1] != '\t') {
      --at;
    }
    int64_t offset = strtoll(at, NULL, 0);
    r->below = -offset > r->below ? -offset : r->below;
  }
}

static void read_instr(reader *r, const char *line) {
  char name[32];
  char operands[256];
  line += strspn(line, " \t");
  size_t len = strcspn(line, " \t#");
  const char *rest = line + len + strspn(line + len, " \t");
  size_t n_rest = strcspn(rest, "#");
  const char *comment = strchr(line, '#');
  if (len == 0 || len >= sizeof name || n_rest >= sizeof operands) {
    return;
  }
  memcpy(name, line, len);
  name[len] = '\0';
  while (n_rest > 0 && (rest[n_rest - 1] == ' ' || rest[n_rest - 1] == '\t')) {
    --n_rest;
  }
  memcpy(operands, rest, n_rest);
  operands[n_rest] = '\0';
  bool is_spill = comment != NULL && (has_word(comment, "Spill") || has_word(comment, "Reload"));
  count_stack(r, name, operands);
  if (r->at > 0) {
    count_instr(r, name, operands, is_spill);
  }
  if (comment != NULL) {
    read_comment(r, comment);
  }
}

/* ---- functions ---- */

/* The kernel whose code a symbol is; NULL: none. */
static tn_code_kernel *find_kernel(tn_code_report *report, const char *symbol, size_t len) {
  const char *dot = memchr(symbol, '.', len);
  size_t n = dot != NULL ? (size_t)(dot - symbol) : len;
  for (int32_t i = 0; i < report->n_kernels; ++i) {
    const char *name = report->kernels[i].name;
    if (strlen(name) == n && memcmp(name, symbol, n) == 0) {
      return &report->kernels[i];
    }
  }
  return NULL;
}

static void end_function(reader *r) {
  if (r->kernel == NULL) {
    return;
  }
  tn_code_kernel *k = r->kernel;
  int64_t stack = r->pushed + r->reserved + r->below;
  k->stack_bytes = stack > k->stack_bytes ? stack : k->stack_bytes;
  for (size_t i = 0; i < r->loops.len; ++i) {
    tn_code_loop *code = &r->loops.data[i].code;
    if (!r->loops.data[i].is_innermost) {
      continue;
    }
    code->is_tile_spilled = code->is_tile_spilled && code->n_fmas > 0 && code->vector_bytes > 0;
    k->vector_bytes = code->vector_bytes > k->vector_bytes ? code->vector_bytes : k->vector_bytes;
    k->loops = realloc(k->loops, (size_t)(k->n_loops + 1) * sizeof *k->loops);
    TN_CHECK(k->loops != NULL, "no memory");
    k->loops[k->n_loops++] = *code;
  }
  r->kernel = NULL;
}

/* A line that starts with a label or "# %bb.": a function's or a block's. */
static void read_label(reader *r, const char *line) {
  const char *comment = strchr(line + 1, '#');
  size_t len = strcspn(line, ":");
  if (line[0] != '.' && line[0] != '#') {
    end_function(r);
    bool is_part = memchr(line, '.', len) != NULL;
    r->kernel = is_part ? find_kernel(r->report, line, len) : NULL;
    r->loops.len = 0;
    r->at = 0;
    r->pushed = r->reserved = r->below = 0;
    return;
  }
  r->at = 0;
  copy_label(line[0] == '.' ? line + strlen(".L") : "", r->block);
  memset(r->var, 0, sizeof r->var);
  if (comment != NULL && r->kernel != NULL) {
    read_var(comment, r->var);
    read_comment(r, comment);
  }
}

static void read_line(reader *r, const char *line) {
  const char *text = line + strspn(line, " \t");
  bool is_block = starts(line, ".LBB") || starts(line, "# %bb.");
  if (starts(line, ".Lfunc_end")) {
    end_function(r);
  } else if (is_block || (line[0] != '\t' && line[0] != ' ' && line[0] != '.' && line[0] != '#' &&
                          strchr(line, ':') != NULL)) {
    read_label(r, line);
  } else if (r->kernel != NULL && text[0] == '#') {
    read_comment(r, text);
  } else if (r->kernel != NULL && line[0] == '\t' && text[0] != '.' && text[0] != '\0') {
    read_instr(r, line);
  }
}

static void read_assembly(tn_code_report *report, const tn_buf *text) {
  reader r = {.report = report};
  tn_buf line = TN_BUF_INIT;
  for (size_t at = 0; at < text->len;) {
    const char *end = memchr(text->data + at, '\n', text->len - at);
    size_t len = end != NULL ? (size_t)(end - text->data) - at : text->len - at;
    tn_buf_clear(&line);
    tn_buf_append(&line, text->data + at, len);
    tn_buf_putc(&line, '\0');
    read_line(&r, line.data);
    at += len + 1;
  }
  end_function(&r);
  TN_VEC_DEINIT(&r.loops);
  tn_buf_deinit(&line);
}

/* ---- sizes ---- */

static tn_status read_sizes(tn_code_report *report, const tn_buf *object) {
  char *text = NULL;
  LLVMContextRef ctx = LLVMContextCreate();
  LLVMMemoryBufferRef memory =
      LLVMCreateMemoryBufferWithMemoryRange(object->data, object->len, "kernels", 0);
  LLVMBinaryRef binary = LLVMCreateBinary(memory, ctx, &text);
  tn_status st = NULL;
  if (binary == NULL) {
    st = TN_ERR(TN_INTERNAL, "LLVM's object file: %s", text);
    LLVMDisposeMessage(text);
  } else {
    LLVMSymbolIteratorRef it = LLVMObjectFileCopySymbolIterator(binary);
    for (; !LLVMObjectFileIsSymbolIteratorAtEnd(binary, it); LLVMMoveToNextSymbol(it)) {
      const char *name = LLVMGetSymbolName(it);
      tn_code_kernel *kernel = find_kernel(report, name, strlen(name));
      if (kernel != NULL) {
        kernel->code_bytes += (int64_t)LLVMGetSymbolSize(it);
      }
    }
    LLVMDisposeSymbolIterator(it);
    LLVMDisposeBinary(binary);
  }
  LLVMDisposeMemoryBuffer(memory);
  LLVMContextDispose(ctx);
  return st;
}

/* ---- all of it ---- */

void tn_llvm_report_deinit(tn_code_report *report) {
  for (int32_t i = 0; i < report->n_kernels; ++i) {
    free(report->kernels[i].name);
    free(report->kernels[i].loops);
  }
  free(report->kernels);
  *report = (tn_code_report){0};
}

static void add_kernels(const tn_module *lowered, tn_code_report *report) {
  report->kernels = calloc(lowered->n_funcs + 1, sizeof *report->kernels);
  TN_CHECK(report->kernels != NULL, "no memory");
  for (uint32_t i = 0; i < lowered->n_funcs; ++i) {
    if (tn_is(lowered->funcs[i].func, TN_OP_PRIM_FUNC)) {
      tn_code_kernel *kernel = &report->kernels[report->n_kernels++];
      kernel->name = strdup(lowered->funcs[i].name);
      TN_CHECK(kernel->name != NULL, "no memory");
    }
  }
}

tn_status tn_llvm_report(const tn_module *lowered, const tn_codegen_opts *opts,
                         tn_code_report *out_report) {
  tn_status st = NULL;
  tn_buf text = TN_BUF_INIT;
  tn_buf object = TN_BUF_INIT;
  tn_codegen_opts own = *opts;
  tn_code_report report = {.target = opts->target->name};
  own.has_comments = true;
  report.is_known = starts(opts->target->triple, "x86_64");
  add_kernels(lowered, &report);
  TN_GOTO(st, tn_llvm_emit(lowered, &own, TN_EMIT_OBJ, &object), done);
  TN_GOTO(st, read_sizes(&report, &object), done);
  if (report.is_known) {
    TN_GOTO(st, tn_llvm_emit(lowered, &own, TN_EMIT_ASM, &text), done);
    read_assembly(&report, &text);
  }
  *out_report = report;
  report = (tn_code_report){0};
done:
  tn_llvm_report_deinit(&report);
  tn_buf_deinit(&text);
  tn_buf_deinit(&object);
  return st;
}
