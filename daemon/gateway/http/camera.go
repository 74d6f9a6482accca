package http

import (
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
	"time"
)

const (
	// maxViewers is how many may watch the camera at once.
	maxViewers = 4
	// viewRate is how many pictures a second a viewer gets at most.
	viewRate = 10
	// pictureTime is how long one picture may take to arrive at a viewer.
	pictureTime = 10 * time.Second
	// maxMissing is how many pictures in a row may fail before a viewer is sent away.
	maxMissing = 30
)

// picture sends what the camera sees now.
func (g *Gateway) picture(w http.ResponseWriter, r *http.Request) {
	data, err := g.Frame(r.Context())
	if err != nil {
		fail(w, http.StatusServiceUnavailable, "unavailable", "the camera gives no picture: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(data) // a viewer that is gone needs no answer
}

// stream sends pictures one after the other (multipart/x-mixed-replace, which browsers show in an img) until the viewer
// goes away. The camera is open only while somebody looks.
func (g *Gateway) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case g.viewers <- struct{}{}:
		defer func() { <-g.viewers }()
	default:
		fail(w, http.StatusServiceUnavailable, "limit", fmt.Sprintf("%d viewers watch already, which is all that may", maxViewers))
		return
	}
	first, err := g.Frame(r.Context())
	if err != nil {
		fail(w, http.StatusServiceUnavailable, "unavailable", "the camera gives no picture: "+err.Error())
		return
	}
	patient(w)
	out := multipart.NewWriter(w)
	w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary="+out.Boundary())
	w.Header().Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	send := func(data []byte) error {
		part, err := out.CreatePart(textproto.MIMEHeader{"Content-Type": {"image/jpeg"}, "Content-Length": {strconv.Itoa(len(data))}})
		if err == nil {
			_, err = part.Write(data)
		}
		return errors.Join(err, control.SetWriteDeadline(time.Now().Add(pictureTime)), control.Flush())
	}
	ticker := time.NewTicker(time.Second / viewRate)
	defer ticker.Stop()
	missing := 0
	for data := first; ; {
		if data != nil && send(data) != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
		if data, err = g.Frame(r.Context()); err != nil {
			data = nil
			if missing++; missing > maxMissing {
				return
			}
			continue
		}
		missing = 0
	}
}
