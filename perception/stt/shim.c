//go:build whisper

#include "shim.h"

#include <time.h>

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool stopped(struct reachyd_run *r) { return __atomic_load_n(&r->stop, __ATOMIC_RELAXED) != 0; }

void reachyd_stt_stop(struct reachyd_run *r) { __atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED); }

static bool abort_now(void *run) { return stopped(run); }

static bool encoder_begins(struct whisper_context *c, struct whisper_state *s, void *run) {
	(void)c;
	(void)s;
	struct reachyd_run *r = run;
	r->encode = now();
	return !stopped(r);
}

static void logits(struct whisper_context *c, struct whisper_state *s, const whisper_token_data *t, int n, float *l, void *run) {
	(void)c;
	(void)s;
	(void)t;
	(void)l;
	struct reachyd_run *r = run;
	if (n == 0) {
		r->decode = now();
	}
}

struct whisper_context *reachyd_stt_open(const char *path, void *data, size_t size) {
	struct whisper_context_params p = whisper_context_default_params();
	if (data != NULL) {
		return whisper_init_from_buffer_with_params(data, size, p);
	}
	return whisper_init_from_file_with_params(path, p);
}

int reachyd_stt_run(struct whisper_context *c, const struct reachyd_request *q, struct reachyd_run *r) {
	struct whisper_full_params p = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
	p.n_threads = q->threads;
	p.audio_ctx = q->audio_ctx;
	p.max_tokens = q->max_tokens;
	p.language = q->language;
	p.initial_prompt = q->prompt;
	p.no_context = true;
	p.no_timestamps = true;
	p.single_segment = true;
	p.print_progress = false;
	p.print_timestamps = false;
	p.no_speech_thold = 2; // never: what is thrown away is decided, and said, in Go
	p.greedy.best_of = 1;
	if (!q->fallback) {
		p.temperature_inc = 0;
	}
	p.abort_callback = abort_now;
	p.abort_callback_user_data = r;
	p.encoder_begin_callback = encoder_begins;
	p.encoder_begin_callback_user_data = r;
	p.logits_filter_callback = logits;
	p.logits_filter_callback_user_data = r;
	r->begin = now();
	r->encode = r->decode = 0;
	int rc = whisper_full(c, p, q->samples, q->n_samples);
	r->end = now();
	if (r->encode == 0) {
		r->encode = r->end;
	}
	if (r->decode == 0) {
		r->decode = r->end;
	}
	return rc;
}
