package http

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
)

// tokenRoutes are how tokens are given out. They are on HTTP only: a broker would show a new token to all who read replies.
func (g *Gateway) tokenRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/tokens", needs(api.ScopeAdmin, func(w http.ResponseWriter, r *http.Request) {
		access.Harmless(r.Context())
		send(w, r, map[string]any{"tokens": g.Tokens.List()})
	}))
	mux.HandleFunc("POST /api/v1/tokens", needs(api.ScopeAdmin, g.addToken))
	mux.HandleFunc("DELETE /api/v1/tokens/{token}", needs(api.ScopeAdmin, func(w http.ResponseWriter, r *http.Request) {
		gone, err := g.Tokens.Revoke(r.PathValue("token"))
		switch {
		case errors.Is(err, access.ErrUnknown):
			rest.Refuse(w, r, api.CodeUnknownName, err.Error())
		case err != nil:
			rest.Refuse(w, r, api.CodeInvalid, err.Error())
		default:
			send(w, r, gone)
		}
	}))
}

func (g *Gateway) addToken(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name    string      `json:"name"`
		Scopes  []api.Scope `json:"scopes"`
		Expires string      `json:"expires_in"` // a duration; empty: never
	}
	if r.Header.Get("Content-Type") != "application/json" {
		rest.Refuse(w, r, api.CodeInvalid, "Content-Type: allowed is application/json")
		return
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxLogin))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || d.Decode(new(any)) != io.EOF {
		rest.Refuse(w, r, api.CodeInvalid, "the body is not an object of name, scopes and expires_in")
		return
	}
	var life time.Duration
	if in.Expires != "" {
		var err error
		if life, err = time.ParseDuration(in.Expires); err != nil || life <= 0 {
			rest.Refuse(w, r, api.CodeInvalid, "expires_in: allowed is a duration such as 720h")
			return
		}
	}
	secret, made, err := g.Tokens.Add(in.Name, in.Scopes, life)
	if err != nil {
		rest.Refuse(w, r, api.CodeInvalid, err.Error())
		return
	}
	send(w, r, struct {
		access.Token
		Secret string `json:"token"`
	}{made, secret})
}

// send answers with JSON.
func send(w http.ResponseWriter, r *http.Request, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		rest.Refuse(w, r, api.CodeInternal, err.Error())
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	write(w, http.StatusOK, data)
}
