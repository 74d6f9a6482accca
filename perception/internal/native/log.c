//go:build whisper

#include "log.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local char complaint[256];

// The last error is kept for those who ask on the same thread; everything else is dropped.
static void keep(enum ggml_log_level level, const char *text, void *user_data) {
	(void)user_data;
	if (level == GGML_LOG_LEVEL_ERROR) {
		snprintf(complaint, sizeof complaint, "%s", text);
	}
}

void reachyd_quiet(void) {
	whisper_log_set(keep, NULL);
	setenv("GGML_NO_BACKTRACE", "1", 0); // or a failed assertion starts a debugger before it aborts
}
void reachyd_complaint_clear(void) { complaint[0] = 0; }
const char *reachyd_complaint(void) { return complaint; }
