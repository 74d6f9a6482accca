package http

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

func TestPicturesOfTheCamera(t *testing.T) {
	pictures := make(chan []byte, 10)
	g, _, client := openWith(t, hal.State{}, func(context.Context) ([]byte, error) {
		select {
		case p := <-pictures:
			return p, nil
		default:
			return nil, errors.New("the camera is away")
		}
	})
	type answer struct {
		code int
		kind string
		body io.Reader
	}
	get := func(path string) answer {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+g.Addr()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return answer{resp.StatusCode, resp.Header.Get("Content-Type"), resp.Body}
	}
	if r := get("/api/camera.jpg"); r.code != http.StatusServiceUnavailable {
		t.Errorf("without a camera: %d", r.code)
	}
	if r := get("/api/camera.mjpeg"); r.code != http.StatusServiceUnavailable {
		t.Errorf("without a camera: %d", r.code)
	}
	pictures <- []byte("one")
	r := get("/api/camera.jpg")
	if data, err := io.ReadAll(r.body); err != nil || string(data) != "one" || r.kind != "image/jpeg" {
		t.Errorf("%s %q, %v", r.kind, data, err)
	}

	for _, p := range []string{"a", "b", "c"} {
		pictures <- []byte(p)
	}
	r = get("/api/camera.mjpeg")
	kind, params, err := mime.ParseMediaType(r.kind)
	if err != nil || kind != "multipart/x-mixed-replace" {
		t.Fatalf("%s: %v", r.kind, err)
	}
	parts := multipart.NewReader(r.body, params["boundary"])
	var got bytes.Buffer
	for got.Len() < 3 {
		p, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(&got, p, 1); err != nil {
			t.Fatal(err)
		}
		if got.Len() == 2 {
			pictures <- []byte("d") // the last part ends when the next begins
		}
	}
	if got.String() != "abc" {
		t.Errorf("streamed %q", got.String())
	}

	for range maxViewers - 1 { // one watches already
		pictures <- []byte("x")
		get("/api/camera.mjpeg")
	}
	if r := get("/api/camera.mjpeg"); r.code != http.StatusServiceUnavailable {
		t.Errorf("one viewer too many: %d", r.code)
	}
}
