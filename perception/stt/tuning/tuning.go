// Package tuning holds what makes Whisper tiny.en understand commands in noise and short sentences in a short window: changes to its
// matrices, which are applied when it is loaded. They were trained on synthetic voices by the programs beside it ('make tuning').
package tuning

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"

	"github.com/reachyd/reachyd/perception/internal/ggml"
)

//go:embed whisper-tuning.bin.gz
var packed []byte

// Changes unpacks them.
func Changes() (*ggml.Tuning, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the embedded tuning: %w", err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("the embedded tuning: %w", err)
	}
	t, err := ggml.ReadTuning(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("the embedded tuning: %w", err)
	}
	return t, nil
}
