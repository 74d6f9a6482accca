//go:build whisper

#include "shim.h"

#include <math.h>

struct whisper_context *reachyd_stt_open(const char *path, void *data, size_t size) {
	struct whisper_context_params p = whisper_context_default_params();
	if (data != NULL) {
		return whisper_init_from_buffer_with_params(data, size, p);
	}
	return whisper_init_from_file_with_params(path, p);
}

static bool not_yet(struct whisper_context *c, struct whisper_state *s, void *user) {
	(void)c;
	(void)s;
	(void)user;
	return false;
}

int reachyd_stt_mel(struct whisper_context *c, const float *samples, int n, int audio_ctx, int threads) {
	// Only whisper_full can choose the window; it is told to end before the encoder.
	struct whisper_full_params p = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
	p.n_threads = threads;
	p.audio_ctx = audio_ctx;
	p.language = "en";
	p.no_context = true;
	p.print_progress = false;
	p.encoder_begin_callback = not_yet;
	return whisper_full(c, p, samples, n);
}

// The largest number, and the logarithm of the sum of all exponentials, of the tokens that may be written.
static float log_sum(const float *l, int n) {
	float most = -INFINITY;
	for (int i = 0; i < n; i++) {
		most = l[i] > most ? l[i] : most;
	}
	double sum = 0;
	for (int i = 0; i < n; i++) {
		if (l[i] > most - 16) { // less than a millionth
			sum += expf(l[i] - most);
		}
	}
	return most + (float)log(sum);
}

int reachyd_stt_next(struct whisper_context *c, const int *tokens, int n, int past, int threads, int first,
	const struct reachyd_ban *ban, struct reachyd_choice *out) {
	int rc = whisper_decode(c, tokens, n, past, threads);
	if (rc != 0) {
		return rc;
	}
	const int end = whisper_token_eot(c);
	float *l = whisper_get_logits(c) + (size_t)(n - 1) * whisper_n_vocab(c);
	for (int i = 0; i < ban->size; i++) {
		l[ban->tokens[i]] = -INFINITY;
	}
	// Behind the end come language, task and time: never text. The end itself is the last that may be written.
	const int size = first ? end : end + 1;
	const float all = log_sum(l, size);
	int have = 0;
	for (int i = 0; i < size; i++) {
		if (have == REACHYD_CHOICES && !(l[i] > out[have - 1].log_prob)) {
			continue;
		}
		int k = have < REACHYD_CHOICES ? have++ : have - 1;
		for (; k > 0 && l[i] > out[k - 1].log_prob; k--) {
			out[k] = out[k - 1];
		}
		out[k].token = i;
		out[k].log_prob = l[i];
	}
	for (int k = 0; k < have; k++) {
		out[k].log_prob -= all;
	}
	return 0;
}

float reachyd_stt_prob(struct whisper_context *c, int n, int token) {
	const int size = whisper_n_vocab(c);
	const float *l = whisper_get_logits(c) + (size_t)(n - 1) * size;
	return expf(l[token] - log_sum(l, size));
}
