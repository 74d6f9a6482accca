// Package access says who may do what over HTTP: tokens with scopes, kept as hashes, and how often each may ask.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/wallclock"
	"github.com/reachyd/reachyd/api"
)

// Limits of tokens.
const (
	MaxTokens = 200
	idBytes   = 5
	keyBytes  = 25 // 200 bits: guessing is hopeless, so that a plain hash is enough
	prefix    = "reachy_"
)

// Errors of tokens.
var (
	ErrUnknown = errors.New("there is no such token")
	ErrInvalid = errors.New("the token is not valid")
)

// Token is a token without its secret.
type Token struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"` // who has it, for people
	Scopes  []api.Scope `json:"scopes"`
	Created time.Time   `json:"created"`
	Expires time.Time   `json:"expires,omitzero"` // zero: never
	Hash    string      `json:"hash,omitempty"`   // SHA-256 of the secret, hexadecimal; only in the store
}

// Store keeps tokens.
type Store interface {
	Put(id string, t Token) error
	Delete(id string) error
	List(after string, limit int) ([]Token, error)
}

// Tokens are those that were given out. They may be used by many goroutines.
type Tokens struct {
	store Store
	now   func() time.Time

	mu  sync.RWMutex
	all map[string]Token
}

// Open reads the tokens of a store. now is time.Now when nil.
func Open(store Store, now func() time.Time) (*Tokens, error) {
	if now == nil {
		now = time.Now
	}
	kept, err := store.List("", MaxTokens)
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	t := &Tokens{store: store, now: now, all: map[string]Token{}}
	for _, k := range kept {
		t.all[k.ID] = k
	}
	return t, nil
}

var encoding = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// Add makes a token and returns its text, which cannot be seen again. life is how long it is valid; 0 is for ever.
func (t *Tokens) Add(name string, scopes []api.Scope, life time.Duration) (secret string, made Token, err error) {
	if !api.IsName(name, "_.@-") {
		return "", made, fmt.Errorf("name: %.80q is not allowed; allowed are 1 to 64 letters, digits, spaces and _ . @ -", name)
	}
	if len(scopes) == 0 {
		return "", made, fmt.Errorf("scopes: none is given; allowed are %v", api.Scopes())
	}
	for _, s := range scopes {
		if !slices.Contains(api.Scopes(), s) {
			return "", made, fmt.Errorf("scopes: %.40q is not one of %v", s, api.Scopes())
		}
	}
	if life < 0 {
		return "", made, fmt.Errorf("expires: %v is in the past", life)
	}
	random := make([]byte, idBytes+keyBytes)
	_, _ = rand.Read(random) // never fails, says its documentation
	id, key := encoding.EncodeToString(random[:idBytes]), encoding.EncodeToString(random[idBytes:])
	secret = prefix + id + "_" + key
	made = Token{ID: id, Name: name, Scopes: slices.Compact(slices.Sorted(slices.Values(scopes))), Created: t.now().UTC(), Hash: hash(secret)}
	if life > 0 {
		made.Expires = made.Created.Add(life)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) >= MaxTokens {
		return "", Token{}, fmt.Errorf("there are %d tokens, which is all that may be; revoke one", MaxTokens)
	}
	if err := t.store.Put(id, made); err != nil {
		return "", Token{}, fmt.Errorf("keep the token: %w", err)
	}
	t.all[id] = made
	return secret, made.shown(), nil
}

// shown is the token as others see it.
func (k Token) shown() Token {
	k.Hash = ""
	return k
}

// List returns the tokens without their hashes, the oldest first.
func (t *Tokens) List() []Token {
	t.mu.RLock()
	defer t.mu.RUnlock()
	list := make([]Token, 0, len(t.all))
	for _, k := range t.all {
		list = append(list, k.shown())
	}
	slices.SortFunc(list, func(a, b Token) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

// Revoke ends a token, by its ID or its name. It is refused from this moment on.
func (t *Tokens) Revoke(which string) (Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []Token
	for _, k := range t.all {
		if k.ID == which || k.Name == which {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 0:
		return Token{}, fmt.Errorf("%w: %.80q", ErrUnknown, which)
	case len(found) > 1:
		return Token{}, fmt.Errorf("token: %d have the name %.80q; give the id of one", len(found), which)
	}
	if err := t.store.Delete(found[0].ID); err != nil {
		return Token{}, fmt.Errorf("revoke the token: %w", err)
	}
	delete(t.all, found[0].ID)
	return found[0].shown(), nil
}

// Check returns the token of a secret. The error is ErrInvalid, whatever is wrong with it.
func (t *Tokens) Check(secret string) (Token, error) {
	rest, ok := strings.CutPrefix(secret, prefix)
	id, _, split := strings.Cut(rest, "_")
	if !ok || !split || len(secret) > 128 {
		return Token{}, ErrInvalid
	}
	k, known := t.find(id)
	same := subtle.ConstantTimeCompare([]byte(hash(secret)), []byte(k.Hash)) == 1
	if !known || !same || !k.Expires.IsZero() && !t.now().Before(k.Expires) {
		return Token{}, ErrInvalid
	}
	return k.shown(), nil
}

// find returns the token of that ID. The life of one that was made before the clock was set begins when it is.
func (t *Tokens) find(id string) (Token, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, known := t.all[id]
	if now := t.now().UTC(); known && !k.Expires.IsZero() && !wallclock.IsSet(k.Created) && wallclock.IsSet(now) {
		k.Created, k.Expires = now, now.Add(k.Expires.Sub(k.Created))
		if err := t.store.Put(id, k); err != nil {
			return k, false // it would begin again with each start
		}
		t.all[id] = k
	}
	return k, known
}

// Valid reports whether the token of an ID is still one.
func (t *Tokens) Valid(id string) bool {
	k, known := t.find(id)
	return known && (k.Expires.IsZero() || t.now().Before(k.Expires))
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
