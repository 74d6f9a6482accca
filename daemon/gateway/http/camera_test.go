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
	get := func(path string) *http.Response {
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
		return resp
	}
	if r := get("/api/camera.jpg"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without a camera: %s", r.Status)
	}
	if r := get("/api/camera.mjpeg"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without a camera: %s", r.Status)
	}
	pictures <- []byte("one")
	r := get("/api/camera.jpg")
	if data, err := io.ReadAll(r.Body); err != nil || string(data) != "one" || r.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("%s %q, %v", r.Header.Get("Content-Type"), data, err)
	}

	for _, p := range []string{"a", "b", "c"} {
		pictures <- []byte(p)
	}
	r = get("/api/camera.mjpeg")
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/x-mixed-replace" {
		t.Fatalf("%s: %v", r.Header.Get("Content-Type"), err)
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
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
	if r := get("/api/camera.mjpeg"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one viewer too many: %s", r.Status)
	}
}
