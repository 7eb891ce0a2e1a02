/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The runner as a Linux program without a libc: prints through the kernel and ends the process. */
#include <stddef.h>

#include "runner.h"

static int64_t system_call(int64_t number, int64_t a, int64_t b, int64_t c) {
#if defined(__x86_64__)
  int64_t result = number;
  __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register int64_t x8 __asm__("x8") = number;
  register int64_t x0 __asm__("x0") = a;
  register int64_t x1 __asm__("x1") = b;
  register int64_t x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#elif defined(__riscv)
  register int64_t a7 __asm__("a7") = number;
  register int64_t a0 __asm__("a0") = a;
  register int64_t a1 __asm__("a1") = b;
  register int64_t a2 __asm__("a2") = c;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
  return a0;
#endif
}

#if defined(__x86_64__)
enum { WRITE = 1, EXIT = 60 };
#else
enum { WRITE = 64, EXIT = 93 };
#endif

void runner_print(const char *text) {
  size_t n = 0;
  while (text[n] != '\0') {
    ++n;
  }
  (void)system_call(WRITE, 1, (int64_t)(uintptr_t)text, (int64_t)n);
}

void start(void);
void start(void) {
  runner_main();
  (void)system_call(EXIT, 0, 0, 0);
}

/* The stack is aligned to 16 bytes here, which a function that was called does not expect. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n  xorl %ebp, %ebp\n  call start\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n  bl start\n");
#elif defined(__riscv)
__asm__(".globl _start\n_start:\n  call start\n");
#endif
