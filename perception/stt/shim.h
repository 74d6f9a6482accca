//go:build whisper

// One call into whisper.cpp for one piece of audio, with what the Go binding has no way to set: the abort flag, no timestamps,
// no file-wide no-speech rule, and the times of the stages.
#ifndef REACHYD_STT_SHIM_H
#define REACHYD_STT_SHIM_H

#include <stdint.h>
#include <whisper.h>

struct reachyd_request {
	const float *samples;
	int n_samples;
	int threads;
	int audio_ctx;
	int max_tokens;
	int fallback;
	const char *language; // NULL: detect
	const char *prompt;   // or NULL
};

// What a run tells while it goes on and when it is over.
struct reachyd_run {
	int stop; // set from another thread
	int64_t begin, encode, decode; // ns: of the call, the encoder and the second token
	int64_t end;
};

struct whisper_context *reachyd_stt_open(const char *path, void *data, size_t size);
int reachyd_stt_run(struct whisper_context *c, const struct reachyd_request *q, struct reachyd_run *r);
void reachyd_stt_stop(struct reachyd_run *r);

#endif
