package sense

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/scene"
)

func TestSight(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	if v, err := r.Detect(ctx, ""); err != nil || len(v.Detections) != 1 || v.Detections[0].Name != scene.Apple {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := r.Detect(ctx, "duck"); err != nil || len(v.Detections) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if text, err := r.Describe(ctx, "", "What do you see?"); err != nil || !strings.Contains(text, "apple") {
		t.Errorf("%q, %v", text, err)
	}
	p, err := r.TakePhoto(ctx)
	if err != nil || len(p.View.Detections) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	if data, err := r.Photo(ctx, p.Name); err != nil || !bytes.Equal(data, picture(t)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if text, err := r.Describe(ctx, p.Name, "What do you see?"); err != nil || !strings.Contains(text, "apple") {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"photo-1", "../sock", "photo-/../../x", "photo-\x00", "", "sock"} {
		_, err := r.Photo(ctx, name)
		wantStatus(t, err, http.StatusNotFound)
	}
	_, err = r.Describe(ctx, "photo-unknown", "?")
	wantStatus(t, err, http.StatusNotFound)
	if data, err := r.Frame(ctx); err != nil || !bytes.Equal(data, picture(t)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if err := r.Track(ctx, true); err != nil || !r.gaze.track {
		t.Error(err)
	}
	if st, _ := r.Client.State(ctx); !st.Sight.Tracking || st.Counters.Pictures == 0 || st.Sight.Face == nil || *st.Sight.Face != *r.gaze.seen() {
		t.Errorf("%+v", st)
	}
	if l, err := r.LookAt(ctx, client.Target{Name: "apple"}); err != nil || !l.Centred {
		t.Errorf("%+v, %v", l, err)
	}
	_, err = r.LookAt(ctx, client.Target{})
	wantStatus(t, err, http.StatusBadRequest)
	if s, err := r.See(ctx, bytes.NewReader(picture(t)), "where is the apple?"); err != nil || s.Description == "" {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = r.See(ctx, strings.NewReader("no picture"), "")
	wantStatus(t, err, http.StatusBadRequest)
	_, err = r.See(ctx, io.LimitReader(zeros{}, MaxPicture+1), "")
	wantStatus(t, err, http.StatusRequestEntityTooLarge)
	r.gaze.err = errors.New("out of memory")
	_, err = r.Detect(ctx, "")
	wantStatus(t, err, http.StatusInternalServerError)
	r.watching()
	r.OnView(apple)
	if e := r.event(client.Detected); len(e.Detections) != 1 {
		t.Errorf("%+v", e)
	}
}

func TestPortraits(t *testing.T) {
	r := newRig(t, nil)
	ctx := t.Context()
	if all, err := r.Portraits(ctx, 3); err != nil || len(all) != 3 || len(all[0]) != 1 || len(all[0][0].Descriptor) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	for _, n := range []int{-1, 0, MaxPortraits + 1} {
		_, err := r.Portraits(ctx, n)
		wantStatus(t, err, http.StatusBadRequest)
	}
}

func TestLooksHaveALimit(t *testing.T) {
	r := newRig(t, func(r *rig) { r.gaze.hang = make(chan struct{}) })
	var wg sync.WaitGroup
	for range MaxLooking {
		wg.Go(func() { r.Detect(context.Background(), "") })
	}
	for deadline := time.Now().Add(patience); ; {
		if st, err := r.Client.State(t.Context()); err == nil && st.Counters.Pictures == MaxLooking {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("they do not begin")
		}
	}
	_, err := r.Detect(t.Context(), "")
	wantStatus(t, err, http.StatusServiceUnavailable)
	close(r.gaze.hang)
	wg.Wait()
}

func TestTheAlbumIsBounded(t *testing.T) {
	a := photoStore{dir: t.TempDir()}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var first, last string
	for i := range maxPhotos + 3 {
		name, err := a.put([]byte{byte(i)}, now)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = name
		}
		last = name
		now = now.Add(time.Second)
	}
	if _, err := a.get(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the oldest is still there: %v", err)
	}
	if _, err := a.get(last); err != nil {
		t.Error(err)
	}
	x, _ := a.put([]byte{1}, now)
	y, _ := a.put([]byte{2}, now)
	if d, err := a.get(y); x == y || err != nil || d[0] != 2 {
		t.Errorf("two at once: %s %s %v %v", x, y, d, err)
	}
}
