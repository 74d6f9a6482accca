package store_test

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/store"
)

func BenchmarkPut(b *testing.B) {
	s, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(0)
	docs := store.NewBucket[map[string]string](s, "docs", store.Keep{})
	doc := map[string]string{"text": strings.Repeat("x", 500)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := docs.Put(strconv.Itoa(i%1000), doc); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPutTogether is what each of 50 writers waits who put at the same time, as people do who talk with the robot at once.
func BenchmarkPutTogether(b *testing.B) {
	s, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(0)
	bucket := store.NewBucket[string](s, "docs", store.Keep{})
	text := strings.Repeat("x", 1000)
	b.SetParallelism(max(1, 50/runtime.GOMAXPROCS(0)))
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := bucket.Put(strconv.FormatInt(n.Add(1), 10), text); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	s, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(0)
	e := api.Event{TS: time.Now(), Type: api.TypePartial, Data: api.Partial{Text: "so"}}
	b.ReportAllocs()
	for b.Loop() {
		e.ID++
		if err := s.Events().Append(e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a store with 10 MB of events in it.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100 {
		if err := s.Events().Append(bulk(uint64(i*250+1), 250, time.Now())...); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(0); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := store.Open(dir, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(0); err != nil {
			b.Fatal(err)
		}
	}
}
