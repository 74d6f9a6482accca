package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
)

// Limits of the recorded moves.
const (
	maxMoveBytes = 8 << 20
	maxMoves     = 1000
)

// Moves finds a recorded move by its name and says its proper name.
type Moves func(name string) (*hal.Recording, string, error)

// movesIn are those of a directory; nil when there is none.
func movesIn(dir string) Moves {
	if dir == "" {
		return nil
	}
	return func(name string) (*hal.Recording, string, error) { return readMove(dir, name) }
}

func playMove(m mover, moves Moves) tool.Tool {
	type args struct{ Name string }
	return tool.Func(available("play_move", moves == nil, "no recorded moves"), func(ctx context.Context, a args) tool.Result {
		rec, name, err := moves(a.Name)
		if err != nil {
			return tool.Errorf(tool.CodeFailed, "I cannot play that move: %v.", err)
		}
		return m.do(ctx, hal.Request{Verb: hal.VerbPlay, Name: name, Recording: rec}, "I played the move "+name)
	})
}

// MoveNames lists the recorded moves in dir, sorted. A directory that is not there has none.
func MoveNames(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list recorded moves: %w", err)
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok && f.Type().IsRegular() && len(names) < maxMoves {
			names = append(names, name)
		}
	}
	return names, nil
}

// readMove reads the move of that name. Only names of regular files in dir itself are found, whatever name looks
// like; capitals, spaces, hyphens and underscores do not matter.
func readMove(dir, name string) (*hal.Recording, string, error) {
	names, err := MoveNames(dir)
	if err != nil {
		return nil, "", err
	}
	at := slices.Index(names, name)
	if at < 0 {
		at = slices.IndexFunc(names, func(n string) bool { return plain(n) == plain(name) })
	}
	if at < 0 {
		if len(names) == 0 {
			return nil, "", errors.New("there are no recorded moves")
		}
		return nil, "", fmt.Errorf("%q is not one of %s", name, strings.Join(names[:min(20, len(names))], ", "))
	}
	name = names[at]
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close() //nolint:errcheck // only read
	f, err := root.Open(name + ".json")
	if err != nil {
		return nil, "", err
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(f, maxMoveBytes+1))
	if err != nil {
		return nil, "", err
	}
	if len(text) > maxMoveBytes {
		return nil, "", fmt.Errorf("%s.json is larger than %d MiB", name, maxMoveBytes>>20)
	}
	rec, err := parseMove(text)
	if err != nil {
		return nil, "", fmt.Errorf("%s.json: %w", name, err)
	}
	return rec, name, nil
}

// parseMove reads a recorded move. What its numbers may be is for the body to say.
func parseMove(text []byte) (*hal.Recording, error) {
	var rec hal.Recording
	if err := json.Unmarshal(text, &rec); err != nil {
		return nil, err
	}
	if len(rec.Time) == 0 || len(rec.Time) != len(rec.Frames) {
		return nil, fmt.Errorf("it has %d times and %d frames; as many of each are needed, and at least one",
			len(rec.Time), len(rec.Frames))
	}
	return &rec, nil
}

func plain(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}
