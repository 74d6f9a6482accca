package store

import "testing"

func TestOpenClose(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBucket[string](s, "x", Keep{})
	if err := b.Put("a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(0); err != nil {
		t.Fatal(err)
	}
}
