/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Object code made executable in this process, through LLVM's ORC. Objects may import functions
 * of libm and nothing else; another name is an error that names it, found before anything is
 * linked. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/cg.h"

struct tn_jit {
  LLVMOrcLLJITRef lljit;
};

/* ---- imports ---- */

static bool fits(size_t n_bytes, uint64_t offset, uint64_t size) {
  return offset <= n_bytes && size <= n_bytes - offset;
}

/* The first imported name that is not libm's; NULL when there is none. */
static const char *strange_import(const char *symbols, uint64_t n_symbols, const char *names,
                                  uint64_t n_names) {
  for (uint64_t i = 1; i < n_symbols; ++i) {
    Elf64_Sym symbol;
    memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
    if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0 || symbol.st_name >= n_names) {
      continue;
    }
    const char *name = names + symbol.st_name;
    if (!tn_cg_is_libm_name(name, strlen(name)) && strcmp(name, "_GLOBAL_OFFSET_TABLE_") != 0) {
      return name;
    }
  }
  return NULL;
}

static tn_status check_imports(const char *object, size_t n_bytes) {
  Elf64_Ehdr header;
  if (n_bytes < sizeof header) {
    return TN_ERR(TN_CORRUPT, "%zu bytes are no object file", n_bytes);
  }
  memcpy(&header, object, sizeof header);
  bool is_elf = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_X86_64 &&
                header.e_type == ET_REL;
  if (!is_elf || !fits(n_bytes, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr))) {
    return TN_ERR(TN_CORRUPT, "not an x86-64 object file");
  }
  const char *sections = object + header.e_shoff;
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table;
    Elf64_Shdr names;
    memcpy(&table, sections + i * sizeof table, sizeof table);
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum) {
      continue;
    }
    memcpy(&names, sections + table.sh_link * sizeof names, sizeof names);
    bool is_fit = fits(n_bytes, table.sh_offset, table.sh_size) &&
                  fits(n_bytes, names.sh_offset, names.sh_size) && names.sh_size > 0 &&
                  object[names.sh_offset + names.sh_size - 1] == '\0';
    if (!is_fit) {
      return TN_ERR(TN_CORRUPT, "an object file whose symbols lie outside of it");
    }
    const char *name = strange_import(object + table.sh_offset, table.sh_size / sizeof(Elf64_Sym),
                                      object + names.sh_offset, names.sh_size);
    if (name != NULL) {
      return TN_ERR(
          TN_UNSUPPORTED,
          "'%s' is called by symbol: code in memory reaches functions of libm only; compile to "
          "an object or a library and link it",
          name);
    }
  }
  return NULL;
}

/* ---- linking ---- */

/* Errors come back through the calls; without this they are printed as well. */
static void drop_error(void *ctx, LLVMErrorRef error) {
  (void)ctx;
  LLVMConsumeError(error);
}

static int is_libm_symbol(void *ctx, LLVMOrcSymbolStringPoolEntryRef symbol) {
  (void)ctx;
  const char *name = LLVMOrcSymbolStringPoolEntryStr(symbol);
  return tn_cg_is_libm_name(name, strlen(name));
}

static tn_status link_objects(tn_jit *jit, const tn_objects *objects) {
  LLVMOrcDefinitionGeneratorRef libm = NULL;
  LLVMOrcJITDylibRef dylib = LLVMOrcLLJITGetMainJITDylib(jit->lljit);
  char prefix = LLVMOrcLLJITGetGlobalPrefix(jit->lljit);
  TN_TRY(tn_cg_llvm_error(
      LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&libm, prefix, is_libm_symbol, NULL),
      "finding libm"));
  LLVMOrcJITDylibAddGenerator(dylib, libm);
  for (size_t i = 0; i < objects->n; ++i) {
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        objects->all[i].data, objects->all[i].len, "kernels");
    TN_TRY(
        tn_cg_llvm_error(LLVMOrcLLJITAddObjectFile(jit->lljit, dylib, memory), "linking kernels"));
  }
  return NULL;
}

tn_status tn_jit_new(const tn_objects *objects, tn_jit **out_jit) {
  tn_status st = NULL;
  tn_jit *jit = NULL;
  for (size_t i = 0; i < objects->n; ++i) {
    TN_GOTO(st, check_imports(objects->all[i].data, objects->all[i].len), done);
  }
  tn_cg_register_targets();
  jit = calloc(1, sizeof *jit);
  if (jit == NULL) {
    st = TN_ERR(TN_NO_MEMORY, "no memory for code");
    goto done;
  }
  TN_GOTO(st, tn_cg_llvm_error(LLVMOrcCreateLLJIT(&jit->lljit, NULL), "making a linker in memory"),
          done);
  LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit->lljit), drop_error,
                                          NULL);
  TN_GOTO(st, link_objects(jit, objects), done);
  *out_jit = jit;
  jit = NULL;
done:
  tn_jit_free(jit);
  return st;
}

void *tn_jit_find(tn_jit *jit, const char *name) {
  LLVMOrcExecutorAddress address = 0;
  LLVMErrorRef error = LLVMOrcLLJITLookup(jit->lljit, &address, name);
  if (error != NULL) {
    LLVMConsumeError(error);
    return NULL;
  }
  return (void *)(uintptr_t)address;
}

void tn_jit_free(tn_jit *jit) {
  if (jit != NULL && jit->lljit != NULL) {
    LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->lljit));
  }
  free(jit);
}
