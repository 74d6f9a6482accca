// Package moves is the robot's recorded moves: those of its own, composed of key frames and swings, and files in the format of
// the official libraries, a JSON of times and targets each.
package moves

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/hal"
)

const (
	// OwnDataset is what our own moves are called among datasets.
	OwnDataset = "reachyd/moves"
	// MaxFile is the largest file of a move or a sound, bytes, and maxMoves the most moves of a directory.
	MaxFile  = 8 << 20
	maxMoves = 1000
)

// Library finds moves. The zero value has our own only.
type Library struct {
	// Dir has moves in it, NAME.json, and datasets, ORGANISATION/NAME/*.json or ORGANISATION/NAME.zip, which may keep their
	// moves in data/.
	Dir string
	// Cache is where Hugging Face's programs keep what they have fetched, hub/datasets--ORGANISATION--NAME/snapshots/…; empty for none.
	Cache string
}

// DefaultCache is where Hugging Face's programs keep what they have fetched; empty when nobody knows.
func DefaultCache() string {
	if dir := os.Getenv("HF_HOME"); dir != "" {
		return dir
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".cache", "huggingface")
	}
	return ""
}

// List returns the names of the moves of a dataset, sorted. OwnDataset and the empty name are our own and those in Dir
// itself. The error wraps fs.ErrNotExist when there is no such dataset here.
func (l *Library) List(dataset string) ([]string, error) {
	d, err := l.open(dataset)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return d.names(), nil
}

// Get returns a move of a dataset. Of moves of the same name one in Dir goes before our own. Capitals, spaces, hyphens and
// underscores do not matter. The error wraps fs.ErrNotExist when there is no such move.
func (l *Library) Get(dataset, name string) (*Move, error) {
	d, err := l.open(dataset)
	if err != nil {
		return nil, err
	}
	defer d.close()
	names := d.names()
	at := slices.Index(names, name)
	if at < 0 {
		at = slices.IndexFunc(names, func(n string) bool { return plain(n) == plain(name) })
	}
	if at < 0 {
		return nil, unknownMove(fmt.Sprintf("%.80q is not one of %s", name, some(names)))
	}
	if file, ok := d.files[names[at]]; ok {
		return d.read(names[at], file)
	}
	for _, m := range Own() {
		if m.Name == names[at] {
			return heard(m), nil
		}
	}
	return nil, fmt.Errorf("move %q: %w", name, fs.ErrNotExist) // only our own have no file
}

func isOwn(dataset string) bool { return dataset == "" || dataset == OwnDataset }

func plain(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

// unknownMove is the error of a name that no move has; people read it.
type unknownMove string

func (e unknownMove) Error() string { return string(e) }

// Is implements what errors.Is looks for.
func (unknownMove) Is(target error) bool { return target == fs.ErrNotExist }

// some lists the first of many names.
func some(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// head is a matrix as the files have it: four rows, or 16 numbers.
type head [4][4]float64

// UnmarshalJSON implements json.Unmarshaler.
func (h *head) UnmarshalJSON(data []byte) error {
	var rows [][]float64
	if json.Unmarshal(data, &rows) == nil && len(rows) == 4 {
		for r, row := range rows {
			if len(row) != 4 {
				return fmt.Errorf("a row of head has %d numbers; allowed are 4", len(row))
			}
			copy(h[r][:], row)
		}
		return nil
	}
	var flat []float64
	if err := json.Unmarshal(data, &flat); err != nil || len(flat) != 16 {
		return errors.New("head is neither 4 rows of 4 numbers nor 16 numbers")
	}
	for i, v := range flat {
		h[i/4][i%4] = v
	}
	return nil
}

// Parse reads a move in the format of the official libraries. What its numbers may be is for the body to say.
func Parse(text []byte) (*hal.Recording, error) {
	var in struct {
		Description string    `json:"description"`
		Time        []float64 `json:"time"`
		Frames      []struct {
			Head     head       `json:"head"`
			Antennas [2]float64 `json:"antennas"`
			BodyYaw  *float64   `json:"body_yaw"`
			Check    bool       `json:"check_collision"`
		} `json:"set_target_data"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	if len(in.Time) == 0 || len(in.Time) != len(in.Frames) {
		return nil, fmt.Errorf("it has %d times and %d frames; as many of each are needed, and at least one", len(in.Time), len(in.Frames))
	}
	rec := &hal.Recording{Description: in.Description, Time: in.Time, Frames: make([]hal.Frame, len(in.Frames))}
	for i, f := range in.Frames {
		rec.Frames[i] = hal.Frame{Head: f.Head, Antennas: f.Antennas, BodyYaw: f.BodyYaw, CheckCollision: f.Check}
	}
	return rec, nil
}

// At returns a recording that is played at another speed, 1 being its own, and, if wanted, with left and right exchanged.
func At(rec *hal.Recording, speed float64, mirrored bool) (*hal.Recording, error) {
	if !(speed >= 0.1 && speed <= 4) {
		return nil, fmt.Errorf("speed is %g; allowed is 0.1 to 4", speed)
	}
	out := &hal.Recording{Description: rec.Description, Sound: rec.Sound, Time: slices.Clone(rec.Time), Frames: slices.Clone(rec.Frames)}
	for i := range out.Time {
		out.Time[i] /= speed
	}
	if math.Abs(speed-1) < 1e-9 {
		copy(out.Time, rec.Time)
	}
	if mirrored {
		for i := range out.Frames {
			out.Frames[i] = mirror(out.Frames[i])
		}
	}
	return out, nil
}

// mirror exchanges left and right: y changes its sign, and what turns about x and z.
func mirror(f hal.Frame) hal.Frame {
	for r := range 4 {
		for c := range 4 {
			if (r == 1) != (c == 1) {
				f.Head[r][c] = -f.Head[r][c]
			}
		}
	}
	f.Antennas = [2]float64{-f.Antennas[1], -f.Antennas[0]}
	if f.BodyYaw != nil {
		yaw := -*f.BodyYaw
		f.BodyYaw = &yaw
	}
	return f
}
