//go:build whisper

// The stages of whisper.cpp one by one: spectrogram, encoder and decoder, and of the decoder's 51 864 numbers those that
// matter. How the tokens are searched is decided in Go.
#ifndef REACHYD_STT_SHIM_H
#define REACHYD_STT_SHIM_H

#include <stdint.h>
#include <whisper.h>

// A possible next token and the logarithm of its probability.
struct reachyd_choice {
	int token;
	float log_prob;
};

#define REACHYD_CHOICES 16

struct whisper_context *reachyd_stt_open(const char *path, void *data, size_t size);
// Makes the spectrogram, and chooses how many positions the encoder will have.
int reachyd_stt_mel(struct whisper_context *c, const float *samples, int n, int audio_ctx, int threads);
// Decodes tokens after the first past ones, and writes the likeliest next tokens, the likeliest first. first forbids an end.
// ban are tokens that must not be written.
struct reachyd_ban {
	const int *tokens;
	int size;
};
int reachyd_stt_next(struct whisper_context *c, const int *tokens, int n, int past, int threads, int first,
	const struct reachyd_ban *ban, struct reachyd_choice *out);
// The probability of a token by the logits of the last call, before anything is forbidden, where n tokens were decoded at once.
float reachyd_stt_prob(struct whisper_context *c, int n, int token);

#endif
