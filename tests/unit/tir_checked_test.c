/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script ops */
/* The checked interpreter on programs with exactly one fault, each with its clean twin: the faulty
 * lines and the right ones stand in turns in one text. Buffers called O... are room for results;
 * others hold 0, 1, 2 ... */
#include "script_util.h"

enum { MAX_ARGS = 6 };

typedef struct checked_case {
  const char *name;
  const char *head;  /* parameters */
  const char *body;  /* lines of the body from line 3 on; $ stands for what differs */
  const char *fault; /* what $ is */
  const char *right;
  const char *expect; /* in what is found, or NULL: the fault is no fault */
} checked_case;

/* Fills a (n,) buffer X the way most cases need it. */
#define HEAD_AO "A: T.Buffer((8,), \"float32\"), O: T.Buffer((8,), \"float32\")"
#define HEAD_AO2 "A: T.Buffer((4, 4), \"float32\"), O: T.Buffer((4, 4), \"float32\")"
#define HEAD_AN "A: T.Buffer((8,), \"int32\"), O: T.Buffer((8,), \"int32\")"

static const checked_case cases[] = {
    /* --- bounds --- */
    {"a read past the end", HEAD_AO, "for i in range(8):\n    O[i] = A[i + $]", "1", "0",
     "t.py:4:9: error: f: index 8 of dimension 0 of buffer 'A', which is read, is outside [0, 8); "
     "i=7 [index-out-of-bounds]"},
    {"a store before the beginning", HEAD_AO, "for i in range(8):\n    O[i - $] = A[i]", "1", "0",
     "index -1 of dimension 0 of buffer 'O', which is written, is outside [0, 8); i=0"},
    {"an index in another row", HEAD_AO2,
     "for i, j in T.grid(4, 4):\n    O[i, j] = A[0, i * $ + j]", "4", "0",
     "index 4 of dimension 1 of buffer 'A', which is read, is outside [0, 4); i=1, j=0; "
     "12 times in all [index-out-of-bounds]"},
    {"a view longer than its memory", HEAD_AO,
     "V = T.decl_buffer(($,), \"float32\", data=A.data)\nfor i in range(8):\n    O[i] = V[i + $ - "
     "8]",
     "9", "8",
     "t.py:5:9: error: f: V[8], which is read, lies outside the memory behind the buffer"},
    {"a view with an offset", HEAD_AO,
     "V = T.decl_buffer((4,), \"float32\", data=A.data, elem_offset=$)\n"
     "for i in range(8):\n    O[i] = V[i // 2]",
     "5", "4", "V[3], which is read, lies outside the memory behind the buffer; i=6; 2 times"},
    {"a view with strides", HEAD_AO,
     "V = T.decl_buffer((4,), \"float32\", data=A.data, strides=($,))\n"
     "for i in range(8):\n    O[i] = V[i // 2]",
     "3", "2", "V[3], which is read, lies outside"},
    {"an allocation that is too small", HEAD_AO,
     "p = T.allocate([$], \"float32\", \"global\")\nt = T.decl_buffer((8,), \"float32\", data=p)\n"
     "for i in range(8):\n    t[i] = A[i]\nfor i in range(8):\n    O[i] = t[i]",
     "7", "8", "t[7], which is written, lies outside the memory behind the buffer"},
    {"a lane of a vector", HEAD_AO, "O[0:8] = A[$:$ + 8]", "1", "0",
     "index 8 of dimension 0 of buffer 'A'"},
    {"a lane that is masked off", HEAD_AO,
     "O[0:8] = T.float32(0)\nO.vstore([T.Ramp(0, 1, 8)], A.vload([T.Ramp(1, 1, 8)], "
     "predicate=T.Ramp(0, 1, 8) < T.Broadcast($, 8)))",
     "8", "7", "index 8 of dimension 0 of buffer 'A'"},
    {"a matched part of a buffer", HEAD_AO2,
     "for i in range(4):\n    with T.block(\"m\"):\n        T.reads(A[i, 0:4])\n"
     "        T.writes(O[i, 0:4])\n        R = T.match_buffer(A[i, 0:4], (4,))\n"
     "        for j in range(4):\n            O[i, j] = R[j + $]",
     "1", "0", "index 4 of dimension 0 of buffer 'R', which is read, is outside [0, 4); i=0, j=3"},
    {"float16", "A: T.Buffer((8,), \"float16\"), O: T.Buffer((8,), \"float16\")",
     "for i in range(8):\n    O[i] = A[i + $]", "1", "0", "index 8 of dimension 0 of buffer 'A'"},
    {"int4", "A: T.Buffer((8,), \"int4\"), O: T.Buffer((8,), \"int4\")",
     "for i in range(8):\n    O[i] = A[i + $]", "1", "0", "index 8 of dimension 0 of buffer 'A'"},
    {"a store to a constant", HEAD_AO,
     "p = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], \"float32\", [8])\n"
     "c = T.decl_buffer((8,), \"float32\", data=p)\nfor i in range(8):\n    O[i] = c[i] + A[i]\n"
     "for i in range($):\n    c[i] = A[i]",
     "8", "0", "buffer 'c' is constant and cannot be stored to; i=0; 8 times"},

    /* --- what was never written --- */
    {"an allocation", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in range($):\n    t[i] = A[i]\n"
     "for i in range(8):\n    O[i] = t[i]",
     "7", "8", "t.py:7:9: error: f: t[7] is read, and nothing has written it; i=7 [never-written]"},
    {"a result that adds to itself", HEAD_AO,
     "for i in range($):\n    O[i] = T.float32(0)\nfor i in range(8):\n    O[i] = O[i] + A[i]", "7",
     "8", "O[7] is read, and nothing has written it; i=7"},
    {"an allocation in a loop is new in each turn", HEAD_AO,
     "for i in range(8):\n    p = T.allocate([1], \"float32\", \"local\")\n"
     "    t = T.decl_buffer((1,), \"float32\", data=p)\n    if i < $:\n        t[0] = A[i]\n"
     "    O[i] = t[0]",
     "7", "8", "t[0] is read, and nothing has written it; i=7"},
    {"a smaller view of written memory", HEAD_AO,
     "t = T.alloc_buffer((8,))\nb = T.decl_buffer((32,), \"uint8\", data=t.data)\n"
     "for i in range($):\n    b[i] = T.uint8(0)\nfor i in range(8):\n    O[i] = t[i]",
     "31", "32", "t[7] is read, and nothing has written it"},
    {"int4, two to a byte", "A: T.Buffer((8,), \"int4\"), O: T.Buffer((8,), \"int4\")",
     "t = T.alloc_buffer((8,), \"int4\")\nfor i in range($):\n    t[i] = A[i]\n"
     "for i in range(8):\n    O[i] = t[i]",
     "7", "8", "t[7] is read, and nothing has written it"},
    {"a vector element", "A: T.Buffer((8,), \"float32\"), O: T.Buffer((2,), \"float32x4\")",
     "t = T.alloc_buffer((2,), \"float32x4\")\nfor i in range($):\n    t[i] = A[i * 4:i * 4 + 4]\n"
     "for i in range(2):\n    O[i] = t[i]",
     "1", "2", "t[1] is read, and nothing has written it; i=1"},
    {"a sum without an init", HEAD_AO2,
     "s = T.alloc_buffer((4,))\nfor i, j in T.grid(4, 4):\n    with T.block(\"s\"):\n"
     "        vi, vj = T.axis.remap(\"SR\", [i, j])\n        T.reads(A[vi, vj], s[vi])\n"
     "        T.writes(s[vi])\n        if $:\n            s[vi] = T.float32(0)\n"
     "        s[vi] = s[vi] + A[vi, vj]\nfor i, j in T.grid(4, 4):\n    O[i, j] = s[i]",
     "vj == 1", "vj == 0", "s[0] is read, and nothing has written it; block 's' (vi=0, vj=0)"},

    /* --- loops whose turns may run at once --- */
    {"two turns write one element", HEAD_AO, "for i in T.parallel(8):\n    O[i // $] = A[i]", "2",
     "1",
     "t.py:4:9: error: f: a turn of the parallel loop over 'i' writes O[0], which another one "
     "wrote "
     "(line 4); i=1; 4 times in all [loop-race]"},
    {"a turn reads what another wrote", HEAD_AO,
     "O[0] = A[0]\nfor i in T.parallel(1, 8):\n    O[i] = A[i] + O[i - $]", "1", "i",
     "a turn of the parallel loop over 'i' reads O[1], which another one wrote (line 5); i=2"},
    {"a turn writes what another read", HEAD_AO,
     "for i in range(8):\n    O[i] = A[i]\nfor i in T.parallel(7):\n    O[i + $] = O[i + 1] * "
     "T.float32(2)",
     "0", "1",
     "a turn of the parallel loop over 'i' writes O[1], which another one read (line 6); "
     "i=1"},
    {"the first of many reads", HEAD_AO,
     "t = T.alloc_buffer((1,))\nt[0] = A[0]\nfor i in T.parallel(8):\n    O[i] = t[0]\n"
     "    if i == $:\n        t[0] = A[i]",
     "7", "8", "a turn of the parallel loop over 'i' writes t[0], which another one read (line 6)"},
    {"the outer of two parallel loops", HEAD_AO2,
     "for i in T.parallel(4):\n    for j in T.parallel(4):\n        O[i * $, j] = A[i, j]", "0",
     "1", "a turn of the parallel loop over 'i' writes O[0, 0]"},
    {"the inner of two parallel loops", HEAD_AO2,
     "for i in T.parallel(4):\n    for j in T.parallel(4):\n        O[i, j * $] = A[i, j]", "0",
     "1",
     "a turn of the parallel loop over 'j' writes O[0, 0], which another one wrote (line 5); i=0, "
     "j=1"},
    {"a serial loop around a parallel one", HEAD_AO2,
     "for i in range(4):\n    for j in T.parallel(4):\n        O[0, j * $] = A[i, j]", "0", "1",
     "a turn of the parallel loop over 'j' writes O[0, 0]"},
    {"scratch memory that each turn may have for itself", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in T.parallel(8):\n    t[i * $] = A[i]\n"
     "    O[i] = t[i * $]",
     "0", "1", NULL},
    {"scratch memory for each turn of the inner loop", HEAD_AO2,
     "t = T.alloc_buffer((4,))\nfor i in range(4):\n    for j in T.parallel(4):\n"
     "        t[i * $] = A[i, j]\n        O[i, j] = t[i * $]",
     "0", "1", NULL},
    {"scratch memory that is read after the loop", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in T.parallel(8):\n    t[i * $] = A[i]\n"
     "    O[i] = t[i * $]\nO[0] = t[0]",
     "0", "1",
     "t.py:7:5: error: f: t[0] is read outside of a parallel loop whose turns share 't': two of "
     "them write one element [loop-race]"},
    {"scratch memory that another loop writes", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in T.parallel(8):\n    t[i * $] = A[i]\n"
     "    O[i] = t[i * $]\nfor i in range(8):\n    t[i] = A[i]\n    O[i] = t[i]",
     "0", "1", "t[0] is written outside of a parallel loop whose turns share 't'"},
    {"scratch memory that was written before the loop", HEAD_AO,
     "t = T.alloc_buffer((8,))\nt[7] = A[7]\nfor i in T.parallel(8):\n    t[i * $] = A[i]\n"
     "    O[i] = t[i * $]",
     "0", "1",
     "a turn of the parallel loop over 'i' writes t[0], which another one wrote (line 6)"},
    {"scratch memory that another turn wrote", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in T.parallel(8):\n    t[i % 2] = A[i]\n"
     "    if i > 0:\n        O[i] = t[(i + $) % 2]",
     "1", "0", "a turn of the parallel loop over 'i' reads t[0], which another one wrote (line 5)"},
    {"scratch memory of lanes", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in T.vectorized(8):\n    t[i * $] = A[i]\n"
     "    O[i] = t[i * $]",
     "0", "1", "a turn of the vectorized loop over 'i' writes t[0]"},
    {"allocated memory outside the loop", HEAD_AO,
     "p = T.allocate([8], \"float32\", \"global\")\nt = T.decl_buffer((8,), \"float32\", "
     "data=p)\nfor i in T.parallel(8):\n    t[i * $] = A[i]\n    O[i] = t[i * $]",
     "0", "1", "a turn of the parallel loop over 'i' writes t[0]"},
    {"a parallel loop over a reduce axis", HEAD_AO2,
     "for i in T.serial(4):\n    for k in $(4):\n        with T.block(\"s\"):\n"
     "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            T.reads(A[vi, vk])\n"
     "            T.writes(O[vi, 0])\n            with T.init():\n"
     "                O[vi, 0] = T.float32(0)\n            O[vi, 0] = O[vi, 0] + A[vi, vk]",
     "T.parallel", "T.serial",
     "t.py:11:17: error: f: a turn of the parallel loop over 'k' reads O[0, 0], which another one "
     "wrote (line 11); block 's' (vi=0, vk=1); i=0, k=1; 24 times in all [loop-race]"},
    {"lanes that write one element", HEAD_AO, "for i in T.vectorized(8):\n    O[$] = A[i]", "0",
     "i", "a turn of the vectorized loop over 'i' writes O[0]"},
    {"lanes that write the same value", HEAD_AO,
     "for i in T.vectorized(8):\n    O[$] = T.float32(1)", "0", "i", NULL},
    {"a lane that reads what another wrote", HEAD_AO,
     "for i in range(8):\n    O[i] = A[i]\nfor i in T.vectorized(7):\n    O[i + 1] = O[i + $] + "
     "T.float32(1)",
     "0", "1", "a turn of the vectorized loop over 'i' reads O[1]"},
    {"threads", HEAD_AO,
     "for i in T.thread_binding(8, thread=\"threadIdx.x\"):\n    O[i // $] = A[i]", "2", "1",
     "a turn of the loop over threads over 'i' writes O[0]"},

    /* --- instances of a block --- */
    {"an axis that is not data-parallel", HEAD_AO,
     "for i in range(8):\n    with T.block(\"b\"):\n        vi = T.axis.$(8, i)\n"
     "        T.reads(A[vi], O[0:8])\n        T.writes(O[vi])\n"
     "        O[vi] = A[vi] + T.if_then_else(vi == 0, T.float32(0), O[T.max(vi, 1) - 1])",
     "spatial", "opaque",
     "t.py:8:13: error: f: O[0] is read, which an instance with other spatial axes wrote (line 8); "
     "block 'b' (vi=1); i=1; 7 times in all [axis-race]"},
    {"an axis that an element forgets", HEAD_AO2,
     "for i, j in T.grid(4, 4):\n    with T.block(\"b\"):\n        vi, vj = T.axis.remap(\"S$\", "
     "[i, j])\n        T.reads(A[vi, vj])\n        T.writes(O[vi, 0])\n        O[vi, 0] = A[vi, "
     "vj]",
     "S", "R",
     "O[0, 0] is written, which an instance with other spatial axes wrote (line 8); "
     "block 'b' (vi=0, vj=1)"},
    {"instances in the order of the reduction", HEAD_AO2,
     "for k, i in T.grid(4, 4):\n    with T.block(\"s\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        T.reads(A[vi, vk])\n"
     "        T.writes(O[$, 0])\n        with T.init():\n            O[$, 0] = T.float32(0)\n"
     "        O[$, 0] = O[$, 0] + A[vi, vk]",
     "vi // 2", "vi",
     "an instance with other spatial axes wrote (line 10); block 's' (vi=1, vk=0)"},
    {"steps of a loop that no axis is bound to", HEAD_AO,
     "for i in range(8):\n    O[i] = A[i]\nfor t, i in T.grid(3, 4):\n    with T.block(\"b\"):\n"
     "        vi = T.axis.spatial(4, i)\n        T.reads(A[vi])\n        T.writes(O[vi + t])\n"
     "        O[vi + t] = A[vi] * T.float32($)",
     "0", "1", NULL},
    {"scratch memory that instances share", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in range(8):\n    with T.block(\"b\"):\n"
     "        vi = T.axis.spatial(8, i)\n        T.reads(A[vi])\n        T.writes(t[vi * $], "
     "O[vi])\n"
     "        t[vi * $] = A[vi]\n        O[vi] = A[vi]",
     "0", "1", "t[0] is written, which an instance with other spatial axes wrote (line 9)"},
    {"an outer block's axis", HEAD_AO2,
     "for i in range(4):\n    with T.block(\"o\"):\n        vi = T.axis.spatial(4, i)\n"
     "        T.reads(A[vi, 0:4])\n        T.writes(O[vi * $, 0:4])\n        for j in range(4):\n"
     "            with T.block(\"n\"):\n                vj = T.axis.spatial(4, j)\n"
     "                T.reads(A[vi, vj])\n                T.writes(O[vi * $, vj])\n"
     "                O[vi * $, vj] = A[vi, vj]",
     "0", "1", "O[0, 0] is written, which an instance with other spatial axes wrote (line 13)"},
    {"two blocks with the same axes", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in range(8):\n    with T.block(\"a\"):\n"
     "        vi = T.axis.spatial(8, i)\n        T.reads(A[vi])\n        T.writes(t[vi])\n"
     "        t[vi] = A[vi]\nfor i in range(8):\n    with T.block(\"b\"):\n"
     "        vi = T.axis.spatial(8, i)\n        T.reads(t[(vi + $) % 8])\n        "
     "T.writes(O[vi])\n"
     "        O[vi] = t[(vi + $) % 8]",
     "3", "0", NULL},

    /* --- what a block declares --- */
    {"a read outside T.reads", HEAD_AO,
     "for i in range(7):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(7, i)\n"
     "        T.reads(A[vi])\n        T.writes(O[vi])\n        O[vi] = A[vi + $]",
     "1", "0",
     "t.py:8:13: error: f: block 'b' reads A[1], which its T.reads does not declare: it names "
     "other "
     "elements; block 'b' (vi=0); i=0; 7 times in all [undeclared-access]"},
    {"a store outside T.writes", HEAD_AO,
     "for i in range(7):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(7, i)\n"
     "        T.reads(A[vi])\n        T.writes(O[vi])\n        O[vi + $] = A[vi]",
     "1", "0",
     "block 'b' writes O[1], which its T.writes does not declare: it names other elements"},
    {"a buffer that T.writes does not name", HEAD_AO,
     "t = T.alloc_buffer((8,))\nfor i in range(8):\n    with T.block(\"b\"):\n"
     "        vi = T.axis.spatial(8, i)\n        T.reads(A[vi])\n        T.writes(O[vi]$)\n"
     "        t[vi] = A[vi]\n        O[vi] = A[vi]",
     "", ", t[vi]", "block 'b' writes t[0], which its T.writes does not declare; block 'b' (vi=0)"},
    {"a block's own memory needs no declaration", HEAD_AO,
     "for i in range(8):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(8, i)\n"
     "        T.reads(A[vi])\n        T.writes(O[vi])\n        t = T.alloc_buffer((1,))\n"
     "        t[0] = A[vi] + T.float32($)\n        O[vi] = t[0]",
     "1", "2", NULL},
    {"an init outside T.writes", HEAD_AO2,
     "for i, k in T.grid(3, 4):\n    with T.block(\"s\"):\n"
     "        vi, vk = T.axis.remap(\"SR\", [i, k])\n        T.reads(A[vi, vk])\n"
     "        T.writes(O[vi, 0])\n        with T.init():\n            O[vi, 0] = T.float32(0)\n"
     "            O[vi, $] = T.float32(0)\n        O[vi, 0] = O[vi, 0] + A[vi, vk]",
     "1", "0",
     "t.py:10:17: error: f: block 's' writes O[0, 1], which its T.writes does not declare"},
    {"a nested block and the outer one's regions", HEAD_AO2,
     "for i in range(4):\n    with T.block(\"o\"):\n        vi = T.axis.spatial(4, i)\n"
     "        T.reads(A[vi, 0:$])\n        T.writes(O[vi, 0:4])\n        for j in range(4):\n"
     "            with T.block(\"n\"):\n                vj = T.axis.spatial(4, j)\n"
     "                T.reads(A[vi, vj])\n                T.writes(O[vi, vj])\n"
     "                O[vi, vj] = A[vi, vj]",
     "3", "4",
     "block 'o' reads A[0, 3], which its T.reads does not declare: it names other "
     "elements; block 'n' (vj=3); i=0, j=3; 4 times"},
    {"a matched view stands for its region", HEAD_AO2,
     "for i in range(4):\n    with T.block(\"m\"):\n        T.reads(A[i, 0:4])\n"
     "        T.writes(O[i, 0:$])\n        R = T.match_buffer(O[i, 0:4], (4,))\n"
     "        for j in range(4):\n            R[j] = A[i, j]",
     "2", "4",
     "block 'm' writes R[2], which its T.writes does not declare: it names other elements"},
    {"another name of the same memory", HEAD_AO2,
     "V = T.decl_buffer((16,), \"float32\", data=A.data)\nfor i, j in T.grid(4, 4):\n"
     "    with T.block(\"b\"):\n        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        T.reads(A[vi, $])\n        T.writes(O[vi, vj])\n        O[vi, vj] = V[vi * 4 + vj]",
     "0", "vj",
     "block 'b' reads V[1], which its T.reads does not declare: it names other elements"},
    {"an instance whose predicate is false", HEAD_AO,
     "for i, j in T.grid(3, 3):\n    with T.block(\"b\"):\n"
     "        vi = T.axis.spatial(8, i * 3 + j)\n        T.where(i * 3 + j < 8)\n"
     "        T.reads(A[vi])\n        T.writes(O[vi])\n        O[vi] = A[vi] + T.float32($)",
     "1", "2", NULL},

    {"what goes through another name is inferred", HEAD_AO2,
     "for i, j in T.grid(4, 4):\n    with T.block(\"b\"):\n"
     "        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        V = T.decl_buffer((16,), \"float32\", data=O.data)\n"
     "        V[vi * 4 + vj] = A[vi, vj] + T.float32($)",
     "1", "2", NULL},
    {"what goes through a pointer with a name is inferred", HEAD_AO2,
     "for i in range(4):\n    with T.block(\"b\"):\n        vi = T.axis.spatial(4, i)\n"
     "        p: T.handle = T.address_of(O[vi, 0])\n"
     "        V = T.decl_buffer((4,), \"float32\", data=p)\n"
     "        for j in range(4):\n            V[j] = A[vi, j] + T.float32($)",
     "1", "2", NULL},

    /* --- arithmetic --- */
    {"a division by zero", HEAD_AN, "for i in range(8):\n    O[i] = 12 // (A[i] + $)", "0", "1",
     "t.py:4:9: error: f: integer division by zero; i=0 [division-by-zero]"},
    {"a remainder by zero in lanes", HEAD_AN, "O[0:8] = 12 % (A[0:8] + $)", "0", "1",
     "integer division by zero [division-by-zero]"},
    {"the smallest integer by -1", HEAD_AN,
     "for i in range(8):\n    O[i] = (A[i] - 2147483647 - $) // -1", "1", "0", NULL},
    {"an index that wraps", HEAD_AN,
     "for i in range(8):\n    O[i] = A[(A[i] + 1) * $ + A[i] * 1073741824 * 4]", "0", "0",
     "an index of buffer 'A' is 4294967296, which int32 wraps to 0; i=1; 7 times in all "
     "[index-overflow]"},
};

/* ---- running ---- */

static char *replace_marks(const char *body, const char *with) {
  tn_buf text = TN_BUF_INIT;
  for (const char *p = body; *p != 0; ++p) {
    if (*p == '$') {
      tn_buf_puts(&text, with);
    } else {
      tn_buf_putc(&text, *p);
    }
    if (*p == '\n') {
      tn_buf_puts(&text, "    ");
    }
  }
  return tn_buf_take(&text);
}

/* What is found, "" for nothing; owned by the caller. */
static char *found_in(const checked_case *x, const char *with) {
  tn_buf text = TN_BUF_INIT;
  char *body = replace_marks(x->body, with);
  tn_buf_printf(&text, "@T.prim_func\ndef f(%s):\n    %s\n", x->head, body);
  free(body);
  script_case c;
  script_case_init(&c, tn_buf_text(&text));
  char *problems = script_case_problems(&c);
  expect_true(c.diags.n == 0, "%s: %s", x->name, problems);
  free(problems);
  const tn_node *f = tn_module_find(&c.module, "f");
  uint32_t n = f->in[TN_PRIM_FUNC_PARAMS]->n_in;
  tn_tir_checker *checker = tn_tir_checker_new(c.ir);
  tn_array arrays[MAX_ARGS];
  tn_tir_arg args[MAX_ARGS];
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *buffer = f->in[TN_PRIM_FUNC_BUFFERS]->in[i];
    const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
    int64_t dims[4];
    for (uint32_t k = 0; k < shape->n_in; ++k) {
      dims[k] = shape->in[k]->attr.i64;
    }
    expect_ok(tn_array_init(&arrays[i], buffer->dtype, (int32_t)shape->n_in, dims));
    for (int64_t k = 0; k < tn_array_n_elems(&arrays[i]); ++k) {
      tn_array_set_i64(&arrays[i], k, k);
    }
    args[i] = (tn_tir_arg){.array = &arrays[i]};
    if (buffer->attr.text[0] == 'O') {
      tn_tir_checker_fresh(checker, arrays[i].data, tn_array_n_bytes(&arrays[i]));
    }
  }
  const tn_tir_hooks hooks = {.checker = checker};
  tn_status st = tn_tir_interp(&c.module, "f", args, (int32_t)n, &hooks, NULL);
  st = tn_tir_checker_finish(checker, st);
  char *found = strdup(st == NULL ? "" : tn_status_message(st));
  tn_status_free(st);
  tn_tir_checker_free(checker);
  for (uint32_t i = 0; i < n; ++i) {
    tn_array_deinit(&arrays[i]);
  }
  script_case_deinit(&c);
  tn_buf_deinit(&text);
  return found;
}

static void each_fault_is_found_with_its_place(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const checked_case *x = &cases[i];
    char *found = found_in(x, x->fault);
    const char *expect = x->expect == NULL ? "" : x->expect;
    bool is_ok = x->expect == NULL ? *found == 0 : strstr(found, expect) != NULL;
    expect_true(is_ok, "%s: expected\n  %s\ngot\n%s", x->name, expect, found);
    free(found);
  }
}

static void right_twins_have_no_finding(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const checked_case *x = &cases[i];
    char *found = strstr(x->name, "wraps") != NULL ? NULL : found_in(x, x->right);
    expect_true(found == NULL || *found == 0, "%s: %s", x->name, found);
    free(found);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_fault_is_found_with_its_place),
      cmocka_unit_test(right_twins_have_no_finding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
