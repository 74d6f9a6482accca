//go:build opencv

// OpenCV for Go, with its exceptions turned into texts.
#ifndef REACHYD_CV_SHIM_H
#define REACHYD_CV_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

enum { CV_TEXT = 500 };  // size of every error buffer

typedef struct {
  float x, y, w, h;
  float score;
  float px, py;  // of a face: the nose
  float eyes[4];  // of a face whose landmarks are known: x, y of the one on the left of the picture, then the other
} cv_hit;

// What returns a pointer returns NULL, what returns a number −1, and a text in err, when it failed.
// gray and bgr are cv::Mat, as gocv's Mat.Ptr has them.
int cv_selftest(char* err);  // makes OpenCV throw: must return −1

void* cv_cascade_open(const char* path, char* err);
int cv_cascade_find(void* c, void* gray, double scale, int neighbours, int smallest, cv_hit* out, int max, char* err);
void cv_cascade_close(void* c);

void* cv_yunet_open(const char* path, int width, int height, float score, float overlap, char* err);
int cv_yunet_find(void* f, void* bgr, cv_hit* out, int max, char* err);
void cv_yunet_close(void* f);

void* cv_net_open(const char* path, char* err);
// Runs a blob through the network and copies its one output, of shape [1, rows, columns], to out.
int cv_net_run(void* n, void* blob, float* out, int max, int* rows, int* columns, char* err);
void cv_net_close(void* n);

#ifdef __cplusplus
}
#endif
#endif
