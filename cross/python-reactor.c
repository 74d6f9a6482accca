// The entry points that toolsandbox/guest calls in CPython for WebAssembly: start once, run the harness once, then one
// step per call. The host talks to the guest in lines over file descriptors 0, 1 and 2, so nothing is imported but WASI.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

// guest_init starts the interpreter. Hash seed, locale and environment are fixed so that two builds give the same image.
int EXPORT(guest_init)(void) {
  PyPreConfig pre;
  PyPreConfig_InitIsolatedConfig(&pre);
  pre.utf8_mode = 1;
  if (PyStatus_Exception(Py_PreInitialize(&pre))) return 1;

  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.site_import = 0;
  config.write_bytecode = 0;
  config.install_signal_handlers = 0;
  config.pathconfig_warnings = 0;
  config.use_hash_seed = 1;
  config.hash_seed = 0;
  config.module_search_paths_set = 1;
  PyStatus status = PyConfig_SetString(&config, &config.home, L"/python");
  if (!PyStatus_Exception(status)) status = PyWideStringList_Append(&config.module_search_paths, L"/python/lib");
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (!PyStatus_Exception(status)) return 0;
  if (status.err_msg) fprintf(stderr, "%s\n", status.err_msg);
  return 2;
}

// guest_buffer gives the host n + 1 bytes to write source text into; 0 when there is no memory.
char *EXPORT(guest_buffer)(int n) {
  char *p = malloc((size_t)n + 1);
  if (p) p[n] = 0;
  return p;
}

// guest_exec runs the text of a guest_buffer as __main__ and frees it. Tracebacks go to file descriptor 2.
int EXPORT(guest_exec)(char *source) {
  int r = PyRun_SimpleString(source);
  free(source);
  return r;
}

// guest_step answers one request: it calls __main__.step(). -1: there is no such function, or it raised.
int EXPORT(guest_step)(void) {
  PyObject *main = PyImport_AddModule("__main__"); // borrowed
  if (!main) return -1;
  PyObject *result = PyObject_CallMethod(main, "step", NULL);
  if (!result) {
    PyErr_Print();
    return -1;
  }
  Py_DECREF(result);
  return 0;
}
