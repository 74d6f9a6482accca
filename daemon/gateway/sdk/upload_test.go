package sdk

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// moveText is a move of n frames after which the head looks down by pitch: there it is found also by a test that comes late.
func moveText(t *testing.T, n int, pitch float64) string {
	t.Helper()
	m := map[string]any{"description": "looks down"}
	var times []float64
	var frames []any
	for i := range n {
		times = append(times, float64(i)*0.02)
		frames = append(frames, map[string]any{"head": matrix(hal.Head{Pitch: pitch * math.Sin(float64(i)/float64(n-1)*math.Pi/2)}), "antennas": [2]float64{}})
	}
	m["time"], m["set_target_data"] = times, frames
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func pack(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// upload sends a move in pieces.
func (p *peer) upload(id, text, encoding string) {
	const piece = 12 << 10
	n := (len(text) + piece - 1) / piece
	p.send(fmt.Sprintf(`{"type":"upload_move_start","upload_id":%q,"total_chunks":%d,"encoding":%q}`, id, n, encoding))
	for i := range n {
		chunk, _ := json.Marshal(text[i*piece : min(len(text), (i+1)*piece)])
		p.send(fmt.Sprintf(`{"type":"upload_move_chunk","upload_id":%q,"chunk_index":%d,"chunk":%s}`, id, i, chunk))
	}
	p.send(fmt.Sprintf(`{"type":"upload_move_finish","upload_id":%q}`, id))
}

func TestUploadedMoves(t *testing.T) {
	r := newRig(t)
	p, other := r.dial(), r.dial()
	news := func(p *peer, id, field string) map[string]any {
		t.Helper()
		m := p.wait("play_uploaded_move", func(m map[string]any) bool {
			return m["upload_id"] == id && (m["started"] == nil || field == "started")
		})
		if m[field] == nil {
			t.Fatalf("%v, want %s", m, field)
		}
		return m
	}
	down, up := moveText(t, 150, 0.2), moveText(t, 150, -0.2)
	for _, c := range []struct {
		id, text, encoding string
		pitch              float64
	}{{"plain", down, "json", 0.2}, {"packed", pack(t, up), "gzip+base64", -0.2}} {
		id := c.id
		p.upload(id, c.text, c.encoding)
		p.send(`{"type":"play_uploaded_move","upload_id":"` + id + `","play_frequency":100,"initial_goto_duration":0.2,"audio_lead_ms":-50}`)
		if m := news(p, id, "started"); m["duration_s"].(float64) < 2.9 {
			t.Errorf("%v", m)
		}
		news(p, id, "finished")
		r.until("the end of the move", func(s *hal.State) bool { return math.Abs(s.Head.Pitch-c.pitch) < 0.02 })
		news(other, id, "finished")
	}
	p.upload("long", moveText(t, 2000, 0.2), "json") // 40 s: it has not ended when it is cancelled
	p.send(`{"type":"play_uploaded_move","upload_id":"long"}`)
	news(p, "long", "started")
	r.until("the beginning of it", func(s *hal.State) bool { return s.Head.Pitch > -0.15 })
	p.send(`{"type":"cancel_move","upload_id":"long"}`)
	news(p, "long", "cancelled")
	p.send(`{"type":"play_uploaded_move","upload_id":"long"}`)
	if m := news(p, "long", "error"); !strings.Contains(m["error"].(string), "no such uploaded move") {
		t.Errorf("played twice: %v", m)
	}
}

func TestWrongUploads(t *testing.T) {
	r := newRig(t)
	p := r.dial()
	start := func(id string, n int) string {
		return fmt.Sprintf(`{"type":"upload_move_start","upload_id":%q,"total_chunks":%d}`, id, n)
	}
	bomb := pack(t, strings.Repeat(" ", maxUpload+2))
	for _, c := range []struct {
		why   string
		texts []string
	}{
		{"upload_id has 0 bytes", []string{start("", 1)}},
		{"upload_id has 201 bytes", []string{start(strings.Repeat("x", maxUploadID+1), 1)}},
		{"total_chunks is 0", []string{start("a", 0)}},
		{"total_chunks is 4097", []string{start("a", maxChunks+1)}},
		{"encoding is", []string{`{"type":"upload_move_start","upload_id":"a","total_chunks":1,"encoding":"zip"}`}},
		{"no such uploaded move", []string{`{"type":"upload_move_chunk","upload_id":"nobody"}`}},
		{"chunk_index is 1; 0 of 2 is due", []string{start("a", 2), `{"type":"upload_move_chunk","upload_id":"a","chunk_index":1}`}},
		{"chunk has 16385 bytes", []string{start("a", 1), `{"type":"upload_move_chunk","upload_id":"a","chunk":"` + strings.Repeat("x", maxChunk+1) + `"}`}},
		{"0 of 2 pieces came", []string{start("a", 2), `{"type":"upload_move_finish","upload_id":"a"}`}},
		{"unexpected end", []string{start("a", 1), `{"type":"upload_move_chunk","upload_id":"a","chunk":"{"}`, `{"type":"upload_move_finish","upload_id":"a"}`}},
		{"is not whole", []string{start("a", 1), `{"type":"play_uploaded_move","upload_id":"a"}`}},
		{"is not being played", []string{`{"type":"cancel_move","upload_id":"a"}`}},
		{"4 moves were sent", []string{start("b", 1), start("c", 1), start("d", 1), start("e", 1)}},
		{"no such uploaded sound", []string{`{"type":"play_uploaded_audio","upload_id":"a"}`}},
	} {
		for _, text := range c.texts {
			p.send(text)
		}
		p.refused(c.why)
	}
	if _, err := unpackMove(bomb, true); err == nil || !strings.Contains(err.Error(), "longer than 8 MiB") {
		t.Errorf("a bomb: %v", err)
	}
	q := r.dial()
	q.upload("wild", moveText(t, 10, 0.2), "json")
	for field, value := range map[string]string{"play_frequency": "201", "audio_lead_ms": "-2001"} {
		q.send(`{"type":"play_uploaded_move","upload_id":"wild","` + field + `":` + value + `}`)
		q.refused(field)
	}
}

func FuzzUnpackMove(f *testing.F) {
	f.Add(`{"time":[0],"set_target_data":[{"head":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"antennas":[0,0]}]}`, false)
	f.Add("H4sIAAAAAAAA/6tWKsnMTVWyMqgFALQS2pENAAAA", true)
	f.Fuzz(func(t *testing.T, text string, packed bool) {
		if rec, err := unpackMove(text, packed); err == nil && (len(rec.Time) == 0 || len(rec.Time) != len(rec.Frames)) {
			t.Errorf("%d times, %d frames", len(rec.Time), len(rec.Frames))
		}
	})
}
