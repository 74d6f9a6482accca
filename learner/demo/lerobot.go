package demo

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// The layout is that of a LeRobot dataset, version 2.1: meta/info.json, meta/tasks.jsonl, meta/episodes.jsonl, and a table for
// each episode. The tables are CSV instead of Parquet, which info.json says in data_path.
const (
	infoFile     = "meta/info.json"
	tasksFile    = "meta/tasks.jsonl"
	episodesFile = "meta/episodes.jsonl"
	dataFile     = "data/chunk-000/episode_000000.csv"
	dataPath     = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.csv"
	maxUnpacked  = 16 << 20
)

type feature struct {
	Type  string   `json:"dtype"`
	Shape []int    `json:"shape"`
	Names []string `json:"names"`
}

type info struct {
	Version  string             `json:"codebase_version"`
	Robot    string             `json:"robot_type"`
	Episodes int                `json:"total_episodes"`
	Frames   int                `json:"total_frames"`
	Tasks    int                `json:"total_tasks"`
	Videos   int                `json:"total_videos"`
	Chunks   int                `json:"total_chunks"`
	Chunk    int                `json:"chunks_size"`
	FPS      float64            `json:"fps"`
	Splits   map[string]string  `json:"splits"`
	Data     string             `json:"data_path"`
	Features map[string]feature `json:"features"`

	// Ours: what the layout has no place for.
	Name string    `json:"reachy_name"`
	How  string    `json:"reachy_how"`
	At   time.Time `json:"reachy_at"`
}

type task struct {
	Index int    `json:"task_index"`
	Task  string `json:"task"`
}

type episode struct {
	Index  int      `json:"episode_index"`
	Tasks  []string `json:"tasks"`
	Length int      `json:"length"`
}

// Export returns the demonstration as a zip file in the layout of LeRobot. The action of a frame is where the next one is.
func (d *Demo) Export() ([]byte, error) {
	names := make([]string, 0, hal.NumJoints)
	for j := range hal.Joint(hal.NumJoints) {
		names = append(names, j.String())
	}
	one := feature{"int64", []int{1}, nil}
	joints := feature{"float32", []int{hal.NumJoints}, names}
	what := info{
		Version: "v2.1", Robot: "reachy_mini", Episodes: 1, Frames: len(d.Joints), Tasks: 1, Chunks: 1, Chunk: 1000, FPS: d.Rate,
		Splits: map[string]string{"train": "0:1"}, Data: dataPath, Name: d.Name, How: d.How, At: d.At,
		Features: map[string]feature{
			"observation.state": joints, "action": joints, "timestamp": {"float32", []int{1}, nil},
			"frame_index": one, "episode_index": one, "index": one, "task_index": one,
		},
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, v any) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: d.At})
		if err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(v)
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: dataFile, Method: zip.Deflate, Modified: d.At})
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(d.table(names)); err != nil {
		return nil, err
	}
	err = errors.Join(
		add(infoFile, what), add(tasksFile, task{0, d.Task}), add(episodesFile, episode{0, []string{d.Task}, len(d.Joints)}), z.Close())
	return b.Bytes(), err
}

func (d *Demo) table(names []string) []byte {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	head := make([]string, 0, 5+2*len(names))
	head = append(head, "timestamp", "frame_index", "episode_index", "index", "task_index")
	for _, what := range []string{"observation.state.", "action."} {
		for _, n := range names {
			head = append(head, what+n)
		}
	}
	_ = c.Write(head) // into memory
	for i := range d.Joints {
		n := strconv.Itoa(i)
		row := []string{strconv.FormatFloat(float64(i)/d.Rate, 'g', 7, 64), n, "0", n, "0"}
		for _, q := range []hal.Joints{d.Joints[i], d.Joints[min(i+1, len(d.Joints)-1)]} {
			for _, v := range q {
				row = append(row, strconv.FormatFloat(v, 'g', 7, 32))
			}
		}
		_ = c.Write(row)
	}
	c.Flush()
	return b.Bytes()
}

// Import reads what Export wrote, or a dataset of that layout whose tables are CSV: its first episode. The error says what is
// missing or wrong.
func Import(data []byte) (*Demo, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("data: it is no zip file: %w", err)
	}
	read := func(name string) ([]byte, error) {
		f, err := z.Open(name)
		if err != nil {
			return nil, fmt.Errorf("data: %s is missing", name)
		}
		defer f.Close() //nolint:errcheck // only read
		text, err := io.ReadAll(io.LimitReader(f, maxUnpacked+1))
		if err == nil && len(text) > maxUnpacked {
			err = fmt.Errorf("data: %s has more than %d MiB", name, maxUnpacked>>20)
		}
		return text, err
	}
	text, err := read(infoFile)
	if err != nil {
		return nil, err
	}
	var what info
	if err := json.Unmarshal(text, &what); err != nil {
		return nil, fmt.Errorf("data: %s: %w", infoFile, err)
	}
	if !strings.HasSuffix(what.Data, ".csv") {
		return nil, fmt.Errorf("data: data_path is %.80q; only tables in CSV can be read", what.Data)
	}
	d := &Demo{Name: what.Name, How: what.How, At: what.At, Rate: what.FPS}
	if text, err := read(tasksFile); err == nil {
		var t task
		if json.NewDecoder(bytes.NewReader(text)).Decode(&t) == nil {
			d.Task = t.Task
		}
	}
	if text, err = read(dataFile); err != nil {
		return nil, err
	}
	if err := d.readTable(text); err != nil {
		return nil, err
	}
	return d, d.Check()
}

func (d *Demo) readTable(text []byte) error {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return fmt.Errorf("data: %s: %w", dataFile, err)
	}
	if len(rows) < 1 {
		return fmt.Errorf("data: %s is empty", dataFile)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for n, row := range rows[1:] {
		if n >= MaxFrames {
			return fmt.Errorf("data: more than %d frames", MaxFrames)
		}
		var q hal.Joints
		for j := range hal.Joint(hal.NumJoints) {
			at, ok := column["observation.state."+j.String()]
			if !ok {
				return fmt.Errorf("data: %s has no column observation.state.%s", dataFile, j)
			}
			if q[j], err = strconv.ParseFloat(row[at], 64); err != nil {
				return fmt.Errorf("data: row %d, %s: %w", n+1, j, err)
			}
		}
		d.Joints = append(d.Joints, q)
	}
	return nil
}
