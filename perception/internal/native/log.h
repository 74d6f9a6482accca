//go:build whisper

// Where whisper.cpp's log goes.
#ifndef REACHYD_WHISPER_LOG_H
#define REACHYD_WHISPER_LOG_H
#include <whisper.h>

void reachyd_quiet(void);
void reachyd_complaint_clear(void);
const char *reachyd_complaint(void);

#endif
