//go:build mujoco

#include "shim.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread jmp_buf* trap;       // where an error of this thread jumps to
static __thread char* trapped;       // and where its text goes
static long warnings;

static void on_error(const char* text) {
  if (!trap) abort();  // an error outside of TRY is a defect of this file
  snprintf(trapped, SHIM_TEXT, "%s", text);
  longjmp(*trap, 1);
}

static void on_warning(const char* text) {
  (void)text;
  __atomic_add_fetch(&warnings, 1, __ATOMIC_RELAXED);
}

// TRY runs the statement; when MuJoCo raises an error in it, the function returns bad.
#define TRY(err, bad, statement)        \
  do {                                  \
    jmp_buf here;                       \
    mju_user_error = on_error;          \
    mju_user_warning = on_warning;      \
    trapped = (err);                    \
    trap = &here;                       \
    if (setjmp(here)) {                 \
      trap = NULL;                      \
      return bad;                       \
    }                                   \
    statement;                          \
    trap = NULL;                        \
  } while (0)

mjModel* shim_load(const char* xml, int size, char* err) {
  static const char name[] = "model.xml";
  mjVFS* volatile vfs = malloc(sizeof(mjVFS));  // 2 MB: not on a stack
  mjModel* volatile m = NULL;
  if (!vfs) {
    snprintf(err, SHIM_TEXT, "out of memory");
    return NULL;
  }
  mj_defaultVFS(vfs);
  if (mj_makeEmptyFileVFS(vfs, name, size)) {
    snprintf(err, SHIM_TEXT, "the model does not fit into the virtual file system");
    free(vfs);
    return NULL;
  }
  memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], xml, size);
  TRY(err, NULL, m = mj_loadXML(name, vfs, err, SHIM_TEXT));
  mj_deleteVFS(vfs);
  free(vfs);
  return m;
}

mjData* shim_data(const mjModel* m, char* err) {
  mjData* volatile d = NULL;
  TRY(err, NULL, d = mj_makeData(m));
  return d;
}

int shim_step(const mjModel* m, mjData* d, int n, char* err) {
  TRY(err, 1, for (int i = 0; i < n; i++) mj_step(m, d));
  return 0;
}

int shim_forward(const mjModel* m, mjData* d, char* err) {
  TRY(err, 1, mj_forward(m, d));
  return 0;
}

int shim_reset(const mjModel* m, mjData* d, char* err) {
  TRY(err, 1, mj_resetData(m, d));
  return 0;
}

int shim_selftest(char* err) {
  TRY(err, 1, mju_error("self-test"));
  return 0;
}

long shim_warnings(void) { return __atomic_load_n(&warnings, __ATOMIC_RELAXED); }

int shim_blown(const mjData* d) {
  return d->warning[mjWARN_BADQPOS].number || d->warning[mjWARN_BADQVEL].number || d->warning[mjWARN_BADQACC].number;
}

static void at(const mjData* d, int body, const mjtNum* local, mjtNum* world) {
  mju_rotVecMat(world, local, d->xmat + 9 * body);
  mju_addTo3(world, d->xpos + 3 * body);
}

double shim_closure(const mjModel* m, const mjData* d) {
  double worst = 0;
  for (int i = 0; i < m->neq; i++) {
    const mjtNum* data = m->eq_data + mjNEQDATA * i;
    mjtNum a[3], b[3];
    if (m->eq_type[i] != mjEQ_CONNECT) continue;
    at(d, m->eq_obj1id[i], data, a);
    at(d, m->eq_obj2id[i], data + 3, b);
    worst = fmax(worst, mju_dist3(a, b));
  }
  return worst;
}

int shim_contacts(const mjModel* m, const mjData* d, int* pairs, int max) {
  int n = 0;
  for (int i = 0; i < d->ncon; i++) {
    int a = m->geom_bodyid[d->contact[i].geom1], b = m->geom_bodyid[d->contact[i].geom2], known = 0;
    for (int k = 0; k < n && !known; k++) known = pairs[2 * k] == a && pairs[2 * k + 1] == b;
    if (known || n == max) continue;
    pairs[2 * n] = a;
    pairs[2 * n + 1] = b;
    n++;
  }
  return n;
}

/* ---- pictures ---- */

#include <dlfcn.h>

// The part of EGL that is used, so that its headers need not be installed.
typedef void* (*egl_proc)(const char*);
typedef void* (*egl_display)(unsigned platform, void* native, const int* attributes);
typedef unsigned (*egl_initialize)(void* display, int* major, int* minor);
typedef unsigned (*egl_bind)(unsigned api);
typedef unsigned (*egl_choose)(void* display, const int* attributes, void** configs, int size, int* n);
typedef void* (*egl_context)(void* display, void* config, void* share, const int* attributes);
typedef unsigned (*egl_current)(void* display, void* draw, void* read, void* context);
typedef unsigned (*egl_destroy)(void* display, void* context);
typedef unsigned (*egl_terminate)(void* display);

struct shim_view {
  const mjModel* m;
  mjData* d;
  void *lib, *display, *context;
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  mjrContext gl;
  int has_scene, has_gl;
  unsigned char* rgb;
};

static int egl_open(shim_view* v, const char* library, char* err) {
  static const int wanted[] = {0x3033, 1, 0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3025, 24, 0x3040, 8, 0x3038};
  // surface type pbuffer, 8 bits red, green, blue, 24 bits depth, renderable by desktop GL, end
  void* config = NULL;
  int major, minor, n = 0;
  v->lib = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (!v->lib) {
    snprintf(err, SHIM_TEXT, "%s", dlerror());
    return 1;
  }
  egl_proc proc = (egl_proc)dlsym(v->lib, "eglGetProcAddress");
  egl_display display = proc ? (egl_display)proc("eglGetPlatformDisplayEXT") : NULL;
  egl_initialize initialize = (egl_initialize)dlsym(v->lib, "eglInitialize");
  egl_bind bind = (egl_bind)dlsym(v->lib, "eglBindAPI");
  egl_choose choose = (egl_choose)dlsym(v->lib, "eglChooseConfig");
  egl_context create = (egl_context)dlsym(v->lib, "eglCreateContext");
  egl_current current = (egl_current)dlsym(v->lib, "eglMakeCurrent");
  const char* failed = NULL;
  if (!display || !initialize || !bind || !choose || !create || !current) failed = "eglGetPlatformDisplayEXT";
  else if (!(v->display = display(0x31DD /* surfaceless Mesa */, NULL, NULL))) failed = "the surfaceless display";
  else if (!initialize(v->display, &major, &minor)) failed = "eglInitialize", v->display = NULL;
  else if (!bind(0x30A2 /* desktop GL */)) failed = "eglBindAPI";
  else if (!choose(v->display, wanted, &config, 1, &n) || n < 1) failed = "eglChooseConfig";
  else if (!(v->context = create(v->display, config, NULL, NULL))) failed = "eglCreateContext";
  else if (!current(v->display, NULL, NULL, v->context)) failed = "eglMakeCurrent";
  if (failed) snprintf(err, SHIM_TEXT, "%s has no surfaceless desktop GL: %s failed", library, failed);
  return failed != NULL;
}

shim_view* shim_view_open(const mjModel* m, const char* egl, char* err) {
  shim_view* volatile v = calloc(1, sizeof(shim_view));
  if (!v) {
    snprintf(err, SHIM_TEXT, "out of memory");
    return NULL;
  }
  v->m = m;
  mjv_defaultScene(&v->scene);
  mjv_defaultOption(&v->option);
  mjv_defaultCamera(&v->camera);
  mjr_defaultContext(&v->gl);
  v->rgb = malloc(3 * (size_t)m->vis.global.offwidth * m->vis.global.offheight);
  v->d = shim_data(m, err);
  if (!v->rgb || !v->d || egl_open(v, egl, err)) {
    shim_view_close(v);
    return NULL;
  }
  mjtNum failed = 1;
  // An error leaves what was made so far behind: the process goes on without pictures.
  TRY(err, NULL, {
    mjv_makeScene(m, &v->scene, 1000);
    v->has_scene = 1;
    mjr_makeContext(m, &v->gl, mjFONTSCALE_100);
    v->has_gl = 1;
    mjr_setBuffer(mjFB_OFFSCREEN, &v->gl);
    failed = v->gl.currentBuffer != mjFB_OFFSCREEN;
  });
  if (failed) {
    snprintf(err, SHIM_TEXT, "GL has no offscreen buffer");
    shim_view_close(v);
    return NULL;
  }
  // A picture costs half as much without these.
  v->scene.flags[mjRND_SHADOW] = v->scene.flags[mjRND_REFLECTION] = v->scene.flags[mjRND_SKYBOX] = v->scene.flags[mjRND_HAZE] = 0;
  return v;
}

int shim_view_draw(shim_view* v, const double* qpos, int camera, int width, int height, unsigned char* rgba, char* err) {
  mjrRect rect = {0, 0, width, height};
  memcpy(v->d->qpos, qpos, sizeof(double) * v->m->nq);
  v->camera.type = mjCAMERA_FIXED;
  v->camera.fixedcamid = camera;
  TRY(err, 1, {
    mj_kinematics(v->m, v->d);
    mj_comPos(v->m, v->d);
    mj_camlight(v->m, v->d);
    mjv_updateScene(v->m, v->d, &v->option, NULL, &v->camera, mjCAT_ALL, &v->scene);
    mjr_render(rect, &v->scene, &v->gl);
    mjr_readPixels(v->rgb, NULL, rect, &v->gl);
  });
  for (int y = 0; y < height; y++) {  // GL counts rows from below
    const unsigned char* from = v->rgb + 3 * (size_t)width * (height - 1 - y);
    unsigned char* to = rgba + 4 * (size_t)width * y;
    for (int x = 0; x < width; x++, from += 3, to += 4) {
      to[0] = from[0];
      to[1] = from[1];
      to[2] = from[2];
      to[3] = 255;
    }
  }
  return 0;
}

void shim_view_close(shim_view* v) {
  if (v->has_gl) mjr_freeContext(&v->gl);
  if (v->has_scene) mjv_freeScene(&v->scene);
  if (v->d) mj_deleteData(v->d);
  if (v->display) {
    egl_current current = (egl_current)dlsym(v->lib, "eglMakeCurrent");
    egl_destroy destroy = (egl_destroy)dlsym(v->lib, "eglDestroyContext");
    egl_terminate terminate = (egl_terminate)dlsym(v->lib, "eglTerminate");
    if (current) current(v->display, NULL, NULL, NULL);
    if (destroy && v->context) destroy(v->display, v->context);
    if (terminate) terminate(v->display);
  }
  free(v->rgb);
  free(v);  // the library stays loaded: GL drivers do not survive being unloaded
}
