package rest

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"

	"github.com/reachyd/reachyd/api"
)

// FormParts reads a form that is in memory: its files and its texts by their names. There may be 16 parts.
func FormParts(data []byte, boundary string) (map[string][]byte, *api.Error) {
	const most = 16
	bad := &api.Error{Code: api.CodeInvalid, Message: "the form cannot be read"}
	if boundary == "" {
		return nil, bad
	}
	parts := map[string][]byte{}
	form := multipart.NewReader(bytes.NewReader(data), boundary)
	for range most {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, bad
		}
		if parts[p.FormName()], err = io.ReadAll(p); err != nil {
			return nil, bad
		}
	}
	return nil, &api.Error{Code: api.CodeInvalid, Message: "the form has more than 16 parts"}
}

func pictureInForm(data []byte, boundary string) (picture []byte, prompt string, e *api.Error) {
	parts, e := FormParts(data, boundary)
	if e != nil {
		return nil, "", e
	}
	return parts["image"], string(parts["prompt"]), nil
}
