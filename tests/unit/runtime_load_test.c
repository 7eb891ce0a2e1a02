/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Executables with native code: the same kernel, built by the C compiler of this machine, out of a
 * .tnx, out of a .so, and called by a plain program that has no runtime but its own few lines. */
#include <dlfcn.h>

#include "base/file.h"
#include "runtime/mem.h"
#include "runtime_asm.h"

static const char *const kernel_source =
    "#include <tenon/abi/kernel.h>\n"
    "int32_t add(const tn_env *env, const tn_arg *args, int32_t n_args) {\n"
    "  if (n_args != 3) { return env->fail(env, TN_KERR_N_ARGS, \"\", 3, n_args); }\n"
    "  for (int64_t i = 0; i < args[0].u.tensor->shape[0]; ++i) {\n"
    "    ((float *)args[2].u.tensor->data)[i] = ((float *)args[0].u.tensor->data)[i]\n"
    "                                         + ((float *)args[1].u.tensor->data)[i];\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

typedef struct folder {
  char *root;
} folder;

static char *path_in(const folder *f, const char *name, char path[512]) {
  snprintf(path, 512, "%s/%s", f->root, name);
  return path;
}

static void compile_in(const folder *f, const char *source, const char *out) {
  const char *cc = getenv("CC");
  char command[2048];
  snprintf(command, sizeof command, "%s -shared -fPIC -Iinclude -o %s/%s %s/%s",
           cc == NULL ? "cc" : cc, f->root, out, f->root, source);
  expect_true(system(command) == 0, "%s", command);
}

static int setup(void **state) {
  static folder f;
  char path[512];
  expect_ok(tn_dir_make_temp(&f.root));
  expect_ok(tn_file_write(path_in(&f, "kernel.c", path), kernel_source, strlen(kernel_source)));
  compile_in(&f, "kernel.c", "kernel.so");
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  folder *f = *state;
  tn_dir_remove_temp(f->root);
  free(f->root);
  return 0;
}

/* main(x: (4,)) -> add(x, w); the kernels are `blob`, or in the library around the image */
static tn_image program(const tn_buf *blob, const char *kernel) {
  tn_asm a = {0};
  const float w[] = {10, 20, 30, 40};
  uint32_t k = asm_outside(&a, TN_EXEC_FN_KERNEL, kernel, "add(A, B, C)");
  asm_const_tensor(&a, TN_DT_F32, 1, (const int64_t[]){4}, w, sizeof w);
  asm_begin(&a, "main", 1, 3, 0);
  asm_tensor(&a, "x", TN_DT_F32, 1, 4);
  asm_any(&a, "");
  EMIT(&a, TN_VM_ALLOC_STORAGE, 1, I(16), 0, 0);
  EMIT(&a, TN_VM_ALLOC_TENSOR, 2, 1, 0, TN_DT_F32, 1, I(4));
  EMIT(&a, TN_VM_CALL, -1, k, 3, R(0), C(0), R(2));
  EMIT(&a, TN_VM_RET, R(2));
  asm_end(&a);
  tn_image_section sections[] = {
      {TN_EXEC_STRINGS, a.strings.data, a.strings.len},
      {TN_EXEC_FUNCS, a.funcs.data, a.funcs.len * sizeof(tn_exec_func)},
      {TN_EXEC_PARAMS, a.types.data, a.types.len * sizeof(tn_exec_type)},
      {TN_EXEC_DIMS, a.dims.data, a.dims.len * sizeof(int64_t)},
      {TN_EXEC_CODE, a.code.data, a.code.len * sizeof(int64_t)},
      {TN_EXEC_CONSTS, a.consts.data, a.consts.len * sizeof(tn_exec_const)},
      {TN_EXEC_DATA, a.data.data, a.data.len},
      {TN_EXEC_KERNELS, blob == NULL ? NULL : blob->data, blob == NULL ? 0 : blob->len},
  };
  tn_image_spec spec = {
      .arch = tn_elf_this_arch(), .n_sections = (int32_t)TN_N_ROWS(sections), .sections = sections};
  tn_image image = {0};
  expect_ok(tn_image_build(&spec, &image));
  tn_image rest = asm_finish(&a); /* frees the assembler */
  tn_image_deinit(&rest);
  return image;
}

static tn_image program_with_blob(const folder *f, const char *kernel, size_t cut) {
  char path[512];
  tn_buf blob = TN_BUF_INIT;
  expect_ok(tn_file_read(path_in(f, "kernel.so", path), 0, &blob));
  blob.len -= cut;
  tn_image image = program(&blob, kernel);
  tn_buf_deinit(&blob);
  return image;
}

static void expect_sum(tn_exec *exec) {
  tn_runtime *rt = NULL;
  tn_vm *vm = NULL;
  tn_tensor *x = NULL;
  tn_arg y = {0};
  expect_ok(tn_runtime_create(1, &rt));
  expect_ok(tn_vm_create(rt, exec, NULL, 0, &vm));
  tn_exec_release(exec);
  expect_ok(tn_tensor_create(TN_DT_F32, 1, (const int64_t[]){4}, (const float[]){1, 2, 3, 4}, &x));
  tn_arg arg = tn_arg_of_tensor(x);
  expect_ok(tn_vm_call(vm, "main", &arg, 1, &y));
  assert_true(((float *)tn_arg_dl(&y)->data)[3] == 44.0F);
  tn_arg_release(&y);
  tn_tensor_release(x);
  tn_vm_release(vm);
  tn_runtime_release(rt);
}

static void a_tnx_brings_its_kernels(void **state) {
  const folder *f = *state;
  char path[512];
  tn_exec *execs[2] = {NULL, NULL};
  tn_image image = program_with_blob(f, "add", 0);
  expect_ok(tn_file_write(path_in(f, "m.tnx", path), image.bytes, image.n_bytes));
  tn_image_deinit(&image);
  expect_ok(tn_exec_load(path, &execs[0])); /* two at once: each has its own library */
  expect_ok(tn_exec_load(path, &execs[1]));
  unlink(path);
  expect_sum(execs[0]);
  expect_sum(execs[1]);
}

static void broken_kernels_in_a_tnx_are_refused(void **state) {
  const folder *f = *state;
  tn_exec *exec = NULL;
  tn_image image = program_with_blob(f, "add", 100);
  expect_error(tn_exec_from_memory(image.bytes, image.n_bytes, NULL, NULL, NULL, &exec), TN_CORRUPT,
               "cut short");
  tn_image_deinit(&image);
  image = program_with_blob(f, "subtract", 0);
  expect_error(tn_exec_from_memory(image.bytes, image.n_bytes, NULL, NULL, NULL, &exec), TN_CORRUPT,
               "no code for its kernel 'subtract'");
  tn_image_deinit(&image);
  image = program(NULL, "add");
  expect_error(tn_exec_from_memory(image.bytes, image.n_bytes, NULL, NULL, NULL, &exec), TN_CORRUPT,
               "no code for its kernel 'add'");
  tn_image_deinit(&image);
  assert_null(exec);
}

/* The image as C text beside the kernel: what a compiler would put into a section. */
static void write_library(const folder *f, size_t n_declared) {
  char path[512];
  tn_image image = program(NULL, "add");
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, kernel_source);
  tn_buf_printf(&text,
                "__attribute__((aligned(4096))) const unsigned char tn_executable_image[%zu] = {",
                n_declared == 0 ? image.n_bytes : n_declared);
  for (size_t i = 0; i < (n_declared == 0 ? image.n_bytes : n_declared); ++i) {
    tn_buf_printf(&text, "%u,", image.bytes[i]);
  }
  tn_buf_puts(&text, "};\n");
  expect_ok(tn_file_write(path_in(f, "library.c", path), text.data, text.len));
  tn_buf_deinit(&text);
  tn_image_deinit(&image);
  compile_in(f, "library.c", "library.so");
}

static void a_library_holds_image_and_kernels(void **state) {
  const folder *f = *state;
  char path[512];
  tn_exec *exec = NULL;
  tn_exec *other = NULL;
  write_library(f, 0);
  expect_ok(tn_exec_load(path_in(f, "library.so", path), &exec));
  write_library(f, 256); /* another file under the same name, while the first is loaded */
  expect_error(tn_exec_load(path, &other), TN_CORRUPT, "the image in the library is cut short");
  expect_error(tn_exec_load(path_in(f, "kernel.so", path), &other), TN_CORRUPT,
               "tn_executable_image");
  expect_sum(exec);
}

static void cut_libraries_are_refused_before_they_are_opened(void **state) {
  const folder *f = *state;
  char path[512];
  tn_buf file = TN_BUF_INIT;
  write_library(f, 0);
  expect_ok(tn_file_read(path_in(f, "library.so", path), 0, &file));
  for (size_t n = 0; n < file.len; n += n < 128 ? 8 : file.len / 40) {
    tn_exec *exec = NULL;
    expect_ok(tn_file_write(path, file.data, n));
    tn_status st = tn_exec_load(path, &exec);
    expect_true(st != NULL && tn_status_code(st) == TN_CORRUPT, "%zu bytes", n);
    tn_status_free(st);
  }
  file.data[18] = 40; /* e_machine: 32-bit Arm */
  expect_ok(tn_file_write(path, file.data, file.len));
  tn_exec *exec = NULL;
  expect_error(tn_exec_load(path, &exec), TN_UNSUPPORTED, "ELF machine 40");
  tn_buf_deinit(&file);
}

/* ---- the third host: a few lines of C ---- */

static int32_t plain_fail(const tn_env *env, int32_t code, const char *text, int64_t expected,
                          int64_t got) {
  (void)text;
  *(int64_t *)env->host = expected * 100 + got;
  return code;
}

static void a_plain_program_calls_the_same_kernel(void **state) {
  const folder *f = *state;
  char path[512];
  int64_t record = 0;
  float data[3][2] = {{1, 2}, {3, 4}, {0, 0}};
  int64_t n = 2;
  DLTensor t[3];
  tn_arg args[3];
  tn_env env = {.abi_version = TN_KERNEL_ABI_VERSION, .struct_bytes = sizeof env, .host = &record};
  env.fail = plain_fail;
  for (int i = 0; i < 3; ++i) {
    t[i] = (DLTensor){
        .data = data[i], .device = {kDLCPU, 0}, .ndim = 1, .dtype = {2, 32, 1}, .shape = &n};
    args[i] = (tn_arg){.kind = TN_ARG_TENSOR, .u = {.tensor = &t[i]}};
  }
  void *library = dlopen(path_in(f, "kernel.so", path), RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  void *symbol = dlsym(library, "add");
  tn_kernel_fn add;
  memcpy(&add, &symbol, sizeof add);
  assert_int_equal(add(&env, args, 3), 0);
  assert_true(data[2][1] == 6.0F);
  assert_int_equal(add(&env, args, 2), TN_KERR_N_ARGS);
  assert_int_equal(record, 302);
  dlclose(library);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tnx_brings_its_kernels),
      cmocka_unit_test(broken_kernels_in_a_tnx_are_refused),
      cmocka_unit_test(a_library_holds_image_and_kernels),
      cmocka_unit_test(cut_libraries_are_refused_before_they_are_opened),
      cmocka_unit_test(a_plain_program_calls_the_same_kernel),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
