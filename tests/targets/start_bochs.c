/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The runner on a bare x86-64 machine, entered by bochs_rom.S: prints through port 0xe9, which
 * bochs copies to its output, and asks bochs to end through port 0x8900. */
#include "runner.h"

static void out_byte(uint16_t port, char value) {
  __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void runner_print(const char *text) {
  for (; *text != '\0'; ++text) {
    out_byte(0xe9, *text);
  }
}

void start(void);
void start(void) {
  runner_main();
  for (const char *text = "Shutdown"; *text != '\0'; ++text) {
    out_byte(0x8900, *text);
  }
  for (;;) {
    __asm__ volatile("hlt");
  }
}

__asm__(".section .start, \"ax\"\n  call start\n");
