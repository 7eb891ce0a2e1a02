/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The C header of a model: what llvm/model.c defines, documented with the model's own names, types and
 * shapes. Names come from files that others wrote: outside of identifiers they stand in quotes, with
 * everything escaped that could end a comment or a line. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "codegen/model/model.h"

static const char *c_type(tn_dtype dtype) {
  static const struct {
    tn_dtype dtype;
    const char *text;
  } rows[] = {{TN_DT_F32, "float"},    {TN_DT_F64, "double"},   {TN_DT_I8, "int8_t"},
              {TN_DT_I16, "int16_t"},  {TN_DT_I32, "int32_t"},  {TN_DT_I64, "int64_t"},
              {TN_DT_U8, "uint8_t"},   {TN_DT_U16, "uint16_t"}, {TN_DT_U32, "uint32_t"},
              {TN_DT_U64, "uint64_t"}, {TN_DT_F16, "uint16_t"}, {TN_DT_BF16, "uint16_t"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].dtype == dtype) {
      return rows[i].text;
    }
  }
  return "uint8_t";
}

/* What C's type does not say of the elements. */
static const char *elem_note(tn_dtype dtype) {
  if (dtype == TN_DT_F16 || dtype == TN_DT_BF16) {
    return ", given by their bits";
  }
  if (tn_dtype_is_bool(dtype)) {
    return ", 0 or 1";
  }
  if (tn_dtype_mem_bits(dtype) < 8) {
    return ", two to a byte, the first in the low half";
  }
  return tn_dtype_is_small_float(dtype) ? ", given by their bits" : "";
}

static void put_quoted(const char *text, tn_buf *out) {
  tn_buf_putc(out, '"');
  for (; *text != '\0'; ++text) {
    unsigned char c = (unsigned char)*text;
    bool is_plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '*' && c != '?';
    if (is_plain) {
      tn_buf_putc(out, (char)c);
    } else {
      tn_buf_printf(out, "\\x%02x", c);
    }
  }
  tn_buf_putc(out, '"');
}

/* [n, 3, 224, 224] by the C functions' names of the sizes. */
static void put_dim(const tn_model_entry *entry, const tn_node *dim, tn_buf *out) {
  for (size_t i = 0; i < entry->sizes.len; ++i) {
    if (entry->sizes.data[i] == dim) {
      tn_buf_puts(out, entry->size_names.data[i].symbol);
      return;
    }
  }
  if (tn_is(dim, TN_OP_INT)) {
    tn_buf_printf(out, "%" PRId64, dim->attr.i64);
  } else {
    tn_buf_puts(out, "...");
  }
}

static bool is_fixed(const tn_node *shape) {
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    if (!tn_is(shape->in[i], TN_OP_INT)) {
      return false;
    }
  }
  return true;
}

static const tn_model_tensor *tensor_of(const tn_model_entry *entry, size_t arg) {
  bool is_input = arg < entry->n_inputs;
  return &entry->tensors.data[is_input ? arg : entry->outputs.data[arg - entry->n_inputs]];
}

static void put_arg_doc(const tn_model_entry *entry, size_t i, tn_buf *out) {
  const tn_model_tensor *tensor = tensor_of(entry, i);
  char dtype[TN_DTYPE_TEXT_BYTES];
  bool is_input = i < entry->n_inputs;
  tn_buf_printf(out, "///   %s: %s ", entry->arg_names.data[i].symbol,
                is_input ? "input" : "output");
  put_quoted(entry->arg_names.data[i].given, out);
  tn_buf_printf(out, ", %s[", tn_dtype_print(tensor->dtype, dtype));
  for (uint32_t d = 0; d < tensor->shape->n_in; ++d) {
    tn_buf_puts(out, d > 0 ? ", " : "");
    put_dim(entry, tensor->shape->in[d], out);
  }
  tn_buf_printf(out, "], row-major%s", elem_note(tensor->dtype));
  if (!is_input && !is_fixed(tensor->shape)) {
    tn_buf_printf(out, "; %s_%s_shape tells the extents", entry->name.symbol,
                  entry->arg_names.data[i].symbol);
  }
  tn_buf_putc(out, '\n');
}

static void put_sizes(const tn_model_entry *entry, tn_buf *out) {
  for (size_t i = 0; i < entry->sizes.len; ++i) {
    tn_buf_printf(out, ", int64_t %s", entry->size_names.data[i].symbol);
  }
}

static void put_shapes(const tn_model_entry *entry, tn_buf *out) {
  for (size_t i = 0; i < entry->outputs.len; ++i) {
    const tn_node *shape = tensor_of(entry, entry->n_inputs + i)->shape;
    const char *symbol = entry->arg_names.data[entry->n_inputs + i].symbol;
    if (!is_fixed(shape)) {
      tn_buf_printf(out, "/// Stores the %u extents of %s. Returns 0.\n", shape->n_in, symbol);
    } else {
      tn_buf_printf(out, "/// Stores the %u extents of %s, which are fixed. Returns 0.\n",
                    shape->n_in, symbol);
    }
    tn_buf_printf(out, "int32_t %s_%s_shape(", entry->name.symbol, symbol);
    for (size_t s = 0; s < entry->sizes.len; ++s) {
      tn_buf_printf(out, "int64_t %s, ", entry->size_names.data[s].symbol);
    }
    tn_buf_puts(out, "int64_t *dims);\n");
  }
}

static void put_entry(const tn_model *model, const tn_model_entry *entry, tn_buf *out) {
  tn_buf_puts(out, "\n/* ---- ");
  put_quoted(entry->name.given, out);
  tn_buf_printf(
      out,
      " ---- */\n\n/// Bytes of workspace that a call takes%s; -1 when a size is below 0 or "
      "too\n/// large. model: with its number of threads; NULL: one.\n",
      entry->sizes.len > 0 ? " for these sizes" : "");
  tn_buf_printf(out, "int64_t %s_workspace_bytes(const %s_model *model", entry->name.symbol,
                model->prefix);
  put_sizes(entry, out);
  tn_buf_puts(out, ");\n");
  put_shapes(entry, out);
  tn_buf_puts(out,
              "/// Runs it. All memory is the caller's and is borrowed for the call; outputs and "
              "workspace may\n/// not overlap anything. Returns 0 or a code; outputs are then "
              "undefined.\n///   model: may be NULL: one thread, no text of refusals\n");
  for (size_t i = 0; i < entry->sizes.len; ++i) {
    tn_buf_printf(out, "///   %s: the size ", entry->size_names.data[i].symbol);
    put_quoted(entry->size_names.data[i].given, out);
    tn_buf_puts(out, ", elements, from 0 on\n");
  }
  for (size_t i = 0; i < entry->arg_names.len; ++i) {
    put_arg_doc(entry, i, out);
  }
  tn_buf_printf(out,
                "///   workspace: n_bytes bytes, any alignment; at least what "
                "%s_workspace_bytes says\n",
                entry->name.symbol);
  tn_buf_printf(out, "int32_t %s(%s_model *model", entry->name.symbol, model->prefix);
  put_sizes(entry, out);
  for (size_t i = 0; i < entry->arg_names.len; ++i) {
    tn_buf_printf(out, ", %s%s *%s", i < entry->n_inputs ? "const " : "",
                  c_type(tensor_of(entry, i)->dtype), entry->arg_names.data[i].symbol);
  }
  tn_buf_puts(out, ", void *workspace, size_t n_bytes);\n");
}

static void put_upper(const char *text, tn_buf *out) {
  for (; *text != '\0'; ++text) {
    tn_buf_putc(out, (char)toupper((unsigned char)*text));
  }
}

static void put_codes(const char *prefix, tn_buf *out) {
  static const char *const codes[][2] = {
      {"OK", "done"},
      {"BAD_SIZE", "a size is below 0, or the memory for it cannot be counted"},
      {"NO_POINTER", "NULL was given for what has elements"},
      {"SMALL_WORKSPACE", "NULL, or fewer bytes than PREFIX_ENTRY_workspace_bytes says"},
      {"NO_MEMORY", "for the model itself"},
      {"REFUSED", "a check inside of the model failed, such as an index out of range"},
      {"OTHER_CPU", "this machine's CPU lacks what the code needs"}};
  tn_buf_puts(out, "\n/// What the functions return.\nenum {\n");
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i) {
    tn_buf_puts(out, "  ");
    put_upper(prefix, out);
    tn_buf_printf(out, "_%s = %zu%s ///< %s\n", codes[i][0], i,
                  i + 1 < sizeof codes / sizeof *codes ? "," : "", codes[i][1]);
  }
  tn_buf_puts(out, "};\n");
}

void tn_model_header(const tn_model *model, const tn_target *target, tn_buf *out) {
  const char *p = model->prefix;
  tn_buf guard = TN_BUF_INIT;
  put_upper(p, &guard);
  tn_buf_puts(&guard, "_TENON_H");
  tn_buf_printf(out,
                "/* Written by tenon for the library beside it; do not edit. A compiled model as "
                "plain C functions:\n * no compiler, no registry, no memory allocated after "
                "%s_init. Code for %s%s%s. */\n#ifndef %s\n#define %s\n\n#include "
                "<stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
                p, target->name, target->required[0] != '\0' ? ", which needs " : "",
                target->required, guard.data, guard.data);
  put_codes(p, out);
  tn_buf_printf(
      out,
      "\n/// Threads that share the parallel loops of calls. Calls with one model may come "
      "from several\n/// threads at once, each with a workspace of its own: one of them then "
      "has the threads, the others\n/// run alone.\ntypedef struct %s_model %s_model;\n"
      "/// Starts n_threads - 1 threads. *out_model: freed by %s_free. Nothing else asks what the "
      "CPU "
      "has:\n/// without a model, code for another one ends in a signal.\n"
      "int32_t %s_init(int32_t n_threads, %s_model **out_model);\n"
      "/// NULL is fine. No call may be running.\nvoid %s_free(%s_model *model);\n"
      "/// Where the last call of this model that was refused inside failed; static "
      "storage, \"\" before.\nconst char *%s_error(const %s_model *model);\n",
      p, p, p, p, p, p, p, p, p);
  for (size_t i = 0; i < model->entries.len; ++i) {
    put_entry(model, &model->entries.data[i], out);
  }
  tn_buf_printf(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  tn_buf_deinit(&guard);
}
