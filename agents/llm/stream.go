package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxFrame is the most bytes of one line of a reply: a tool call arrives in one piece.
const maxFrame = 4 << 20

// frame is one line of a reply.
type frame struct {
	Message struct {
		Content   string     `json:"content"`
		Thinking  string     `json:"thinking"`
		ToolCalls []wireCall `json:"tool_calls"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	Error      string `json:"error"`
	metrics
}

// frames reads the lines of a reply. The api package would reserve 8 MB for each reply, and end without an error when
// the server died in the middle of one.
type frames struct {
	r    *bufio.Reader
	long []byte // a line that is longer than r's buffer
}

func newFrames(r io.Reader) *frames {
	return &frames{r: bufio.NewReaderSize(r, 4<<10)}
}

// next reads a frame into f. The end of the stream is ErrIncomplete: who reads on after the frame that says Done is
// wrong, and before it the server is.
func (s *frames) next(f *frame) error {
	for {
		line, err := s.line()
		last := errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0
		if err != nil && !last {
			if errors.Is(err, ErrTooLong) {
				return err
			}
			return fmt.Errorf("%w: %w", ErrIncomplete, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		*f = frame{}
		if jsonErr := json.Unmarshal(line, f); jsonErr != nil {
			if last {
				return ErrIncomplete
			}
			return fmt.Errorf("%w: a line is not a frame: %w", ErrBadOutput, jsonErr)
		}
		return nil
	}
}

// line returns a line, which is valid until the next is read, and perhaps why no further one follows.
func (s *frames) line() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	s.long = append(s.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.r.ReadSlice('\n')
		s.long = append(s.long, line...)
		if len(s.long) > maxFrame {
			return nil, fmt.Errorf("a line of the reply: %w; at most %d bytes are allowed", ErrTooLong, maxFrame)
		}
	}
	return s.long, err
}

// arguments returns the arguments of a call as an object; some servers write them as a text that holds one.
func (c *wireCall) arguments() json.RawMessage {
	raw := bytes.TrimSpace(c.Function.Arguments)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return json.RawMessage("{}")
	}
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return json.RawMessage("{}")
		}
		return json.RawMessage(text)
	}
	return raw
}
