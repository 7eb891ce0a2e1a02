# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon authors.
# An option ROM of 512 bytes at 0xd0000, which the BIOS enters in 16-bit mode. It turns on 64-bit mode
# with the first GiB mapped one to one, SSE, AVX and AVX-512, reads N_SECTORS sectors of the first disk
# to 32 MiB and jumps there. (bochs itself can load no more than 128 KiB in one piece.)
# Source of the register bits: Intel SDM volume 3, chapters 2, 4 and 10; of the disk's: ATA-4, 8.
  .set BASE, 0xd0000
  .set PAGES, 0x70000                # three tables of 4 KiB
  .set STACK, 0x8000000
  .set IMAGE, 0x2000000

  .code16
rom:
  .byte 0x55, 0xaa, 1                # the mark, and the size in units of 512 bytes
  cli
  lgdtl %cs:gdt_ptr - rom
  movl %cr0, %eax
  orl $1, %eax                       # PE
  movl %eax, %cr0
  ljmpl $8, $BASE + (protected - rom)

  .code32
protected:
  movw $16, %ax
  movw %ax, %ds
  movw %ax, %es
  movw %ax, %ss
  movl $PAGES, %edi
  xorl %eax, %eax
  movl $0x3000 / 4, %ecx
  rep stosl
  movl $PAGES + 0x1003, PAGES        # present, writable
  movl $PAGES + 0x2003, PAGES + 0x1000
  movl $0x83, %eax                   # the same, pages of 2 MiB
  movl $PAGES + 0x2000, %edi
1:
  movl %eax, (%edi)
  addl $0x200000, %eax
  addl $8, %edi
  cmpl $PAGES + 0x3000, %edi
  jne 1b
  movl $0x40620, %eax                # PAE, OSFXSR, OSXMMEXCPT, OSXSAVE
  movl %eax, %cr4
  movl $PAGES, %eax
  movl %eax, %cr3
  movl $0xc0000080, %ecx             # EFER
  rdmsr
  orl $0x100, %eax                   # LME
  wrmsr
  movl %cr0, %eax
  andl $0xfffffffb, %eax             # no EM
  orl $0x80000022, %eax              # PG, NE, MP
  movl %eax, %cr0
  ljmpl $24, $BASE + (long_mode - rom)

  .code64
long_mode:
  xorl %ecx, %ecx
  xorl %edx, %edx
  movl $0xe7, %eax                   # XCR0: x87, SSE, AVX, the three parts of AVX-512
  xsetbv
  movl $STACK, %esp
  xorl %ebx, %ebx                    # sector
  movl $IMAGE, %edi
read:
  movw $0x1f6, %dx                   # first disk, addressed by sector
  movb $0xe0, %al
  outb %al, %dx
  movw $0x1f2, %dx                   # one sector
  movb $1, %al
  outb %al, %dx
  incl %edx                          # its number, 8 bits at a time
  movl %ebx, %eax
  outb %al, %dx
  incl %edx
  shrl $8, %eax
  outb %al, %dx
  incl %edx
  shrl $8, %eax
  outb %al, %dx
  movw $0x1f7, %dx
  movb $0x20, %al                    # READ SECTORS
  outb %al, %dx
wait:
  inb %dx, %al
  andb $0x88, %al                    # until not busy and data are there
  cmpb $0x08, %al
  jne wait
  movw $0x1f0, %dx
  movl $256, %ecx
  rep insw
  incl %ebx
  cmpl $N_SECTORS, %ebx
  jne read
  movl $IMAGE, %eax
  jmp *%rax

  .balign 8
gdt:
  .quad 0
  .quad 0x00cf9a000000ffff           # 32-bit code
  .quad 0x00cf92000000ffff           # data
  .quad 0x00af9a000000ffff           # 64-bit code
gdt_ptr:
  .word 31
  .long BASE + (gdt - rom)
  .org 511
  .byte 0                            # makes the sum of all bytes 0: set after assembling
