//go:build mujoco

// What Go needs of MuJoCo, with MuJoCo's fatal errors turned into returned ones: unhandled they would read stdin and exit.
#ifndef REACHYD_SHIM_H
#define REACHYD_SHIM_H

#include <mujoco/mujoco.h>

enum { SHIM_TEXT = 1000 };  // size of every error buffer

// Loads a model from memory. NULL and a text in err when it is wrong.
mjModel* shim_load(const char* xml, int size, char* err);
mjData* shim_data(const mjModel* m, char* err);

// These return 0, or 1 and a text in err.
int shim_step(const mjModel* m, mjData* d, int n, char* err);
int shim_forward(const mjModel* m, mjData* d, char* err);
int shim_reset(const mjModel* m, mjData* d, char* err);
int shim_selftest(char* err);  // raises an error inside MuJoCo: must return 1

long shim_warnings(void);  // of the whole process
int shim_blown(const mjData* d);  // 1 when MuJoCo met a NaN and put the state back to its own beginning
double shim_closure(const mjModel* m, const mjData* d);
// Writes up to max pairs of touching bodies to pairs and returns how many.
int shim_contacts(const mjModel* m, const mjData* d, int* pairs, int max);

// A renderer belongs to the thread that opened it.
typedef struct shim_view shim_view;
shim_view* shim_view_open(const mjModel* m, const char* egl, char* err);
int shim_view_draw(shim_view* v, const double* qpos, int camera, int width, int height, unsigned char* rgba, char* err);
void shim_view_close(shim_view* v);

#endif
