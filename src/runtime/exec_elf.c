/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Looks over an ELF shared object before the dynamic linker does: a file that was cut short would
 * otherwise be mapped and end the process with a bus error, one for another machine would be
 * refused without saying which. */
#include <elf.h>
#include <string.h>

#include "runtime/exec.h"

bool tn_elf_is(const uint8_t *bytes, size_t n_bytes) {
  return n_bytes >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static bool is_inside(uint64_t offset, uint64_t n, size_t n_bytes) {
  return offset <= n_bytes && n <= n_bytes - offset;
}

tn_status tn_elf_check(const uint8_t *bytes, size_t n_bytes, uint32_t arch) {
  Elf64_Ehdr header;
  if (!tn_elf_is(bytes, n_bytes) || n_bytes < sizeof header) {
    return TN_ERR(TN_CORRUPT, "the kernels are not an ELF shared object, or it is cut short");
  }
  memcpy(&header, bytes, sizeof header);
  if (header.e_type == ET_REL) {
    return TN_ERR(TN_UNSUPPORTED,
                  "an object file (.o) is for linking into a program; a .so or .tnx can be loaded");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_DYN) {
    return TN_ERR(TN_UNSUPPORTED, "the kernels are not a 64-bit little-endian shared object");
  }
  uint32_t want = arch == 0 ? tn_elf_this_arch() : arch;
  if (header.e_machine != want) {
    return TN_ERR(TN_UNSUPPORTED,
                  "the kernels are for another architecture (ELF machine %u, this is %u)",
                  header.e_machine, want);
  }
  uint64_t n_program = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
  uint64_t n_section = (uint64_t)header.e_shnum * header.e_shentsize;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || !is_inside(header.e_phoff, n_program, n_bytes) ||
      !is_inside(header.e_shoff, n_section, n_bytes)) {
    return TN_ERR(TN_CORRUPT, "the shared object is cut short: its tables lie past its %zu bytes",
                  n_bytes);
  }
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, bytes + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD && !is_inside(segment.p_offset, segment.p_filesz, n_bytes)) {
      return TN_ERR(TN_CORRUPT,
                    "the shared object is cut short: segment %u lies past its %zu bytes", i,
                    n_bytes);
    }
  }
  return NULL;
}
