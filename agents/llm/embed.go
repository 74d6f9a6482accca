package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	// maxTexts is how many texts one request turns into vectors.
	maxTexts = 4096
	// batch is how many of them the server is given at once: more would make it wait for all of them.
	batch = 64
)

// Embed returns what the best model for vectors makes of the texts. A text longer than the model can read is cut off.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, string, error) {
	if len(texts) > maxTexts {
		return nil, "", fmt.Errorf("%w: %d texts; at most %d are allowed", ErrRequest, len(texts), maxTexts)
	}
	inner, cancel, release := c.within(ctx)
	defer release()
	total := time.AfterFunc(c.cfg.Total, func() {
		cancel(fmt.Errorf("%w: no vectors within %v", ErrTimeout, c.cfg.Total))
	})
	defer total.Stop()
	models, err := c.candidates(inner, RoleEmbed, CanEmbed)
	if err != nil {
		return nil, "", reason(ctx, inner, err)
	}
	if len(texts) == 0 {
		return nil, models[0].Name, nil
	}
	// Only the first model: vectors of another one would not fit those that the caller has.
	name := models[0].Name
	vectors := make([][]float32, 0, len(texts))
	for from := 0; from < len(texts); from += batch {
		part := texts[from:min(from+batch, len(texts))]
		got, err := c.embed(ctx, inner, name, part)
		if err != nil {
			return nil, name, err
		}
		vectors = append(vectors, got...)
	}
	for i := range vectors {
		if err := unit(vectors[i], len(vectors[0])); err != nil {
			return nil, name, fmt.Errorf("%w: vector %d %w", ErrBadOutput, i, err)
		}
	}
	return vectors, name, nil
}

// embed asks for a batch, again when the connection fails.
func (c *Client) embed(ctx, inner context.Context, name string, texts []string) ([][]float32, error) {
	pause := c.cfg.Backoff
	for try := 0; ; try++ {
		slow, cancel := context.WithTimeoutCause(inner, c.cfg.FirstToken, fmt.Errorf("%w: no vectors within %v", ErrTimeout, c.cfg.FirstToken))
		vectors, err := c.vectors(slow, name, texts)
		err = reason(ctx, slow, err)
		cancel()
		switch {
		case err == nil && len(vectors) != len(texts):
			return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrBadOutput, len(vectors), len(texts))
		case err == nil:
			return vectors, nil
		case !transient(err):
			return nil, err
		case try >= c.cfg.Retries:
			if errors.Is(err, ErrAway) {
				c.gone(err)
			}
			return nil, err
		}
		if err := c.pause(inner, pause); err != nil {
			return nil, reason(ctx, inner, err)
		}
		pause *= 2
	}
}

// vectors asks for a batch once.
func (c *Client) vectors(ctx context.Context, name string, texts []string) ([][]float32, error) {
	if c.cfg.API == OpenAI {
		return c.openaiEmbed(ctx, name, texts)
	}
	answer, err := c.api.Embed(ctx, &api.EmbedRequest{
		Model: name, Input: texts, KeepAlive: &api.Duration{Duration: c.cfg.KeepAlive}, Options: c.options(),
	})
	if err != nil {
		return nil, err
	}
	return answer.Embeddings, nil
}

// pause waits, not longer than ctx.
func (c *Client) pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unit makes v a vector of length 1.
func unit(v []float32, dimensions int) error {
	if len(v) != dimensions || len(v) == 0 {
		return fmt.Errorf("has %d numbers, not %d", len(v), dimensions)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return errors.New("has no direction")
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return nil
}
