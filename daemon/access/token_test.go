package access

import (
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
)

// kept is a store of tokens.
type kept map[string]Token

func (k kept) Put(id string, t Token) error { k[id] = t; return nil }

func (k kept) Delete(id string) error { delete(k, id); return nil }

func (k kept) List(string, int) (all []Token, err error) {
	for _, t := range k {
		all = append(all, t)
	}
	return all, nil
}

// A token of a robot whose clock was not set lasts as long as any other, from when the clock is set on.
func TestTokenThatIsMadeBeforeTheClockIsSet(t *testing.T) {
	now := time.Date(1970, 1, 1, 0, 1, 0, 0, time.UTC)
	store := kept{}
	open := func() *Tokens {
		tokens, err := Open(store, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		return tokens
	}
	tokens := open()
	secret, made, err := tokens.Add("anna", api.Scopes()[:1], 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	lasting, _, err := tokens.Add("ben", api.Scopes()[:1], 0)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(when string, want bool) {
		t.Helper()
		if _, err := tokens.Check(secret); (err == nil) != want || tokens.Valid(made.ID) != want {
			t.Errorf("%s: %v, valid %v", when, err, tokens.Valid(made.ID))
		}
		if _, err := tokens.Check(lasting); err != nil {
			t.Errorf("%s: one that lasts: %v", when, err)
		}
	}
	valid("in 1970", true)
	now = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	valid("when the clock is set", true)
	tokens = open()
	now = now.Add(23 * time.Hour)
	valid("in the last hour", true)
	now = now.Add(2 * time.Hour)
	valid("after it", false)
}
