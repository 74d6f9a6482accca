package logbook

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestLinesAreTold(t *testing.T) {
	b := &Book{}
	log := zerolog.New(b).With().Timestamp().Logger()
	log.Debug().Msg("small")
	log.Warn().Str("part", "store").Int("n", 3).Msg("grave")
	log.Error().Msg("worse")
	all := b.Lines(0, 10, zerolog.DebugLevel)
	if len(all.Lines) != 3 || all.Last != 3 || all.Lines[0].Message != "small" || all.Lines[2].Level != "error" {
		t.Fatalf("%+v", all)
	}
	if l := all.Lines[1]; l.N != 2 || l.Message != "grave" || fmt.Sprint(l.Fields) != "map[n:3 part:store]" || time.Since(time.Time(l.TS)) > time.Hour {
		t.Errorf("%+v", l)
	}
	if grave := b.Lines(0, 10, zerolog.WarnLevel); len(grave.Lines) != 2 || grave.Lines[0].Message != "grave" {
		t.Errorf("warnings: %+v", grave)
	}
	if newest := b.Lines(0, 1, zerolog.DebugLevel); len(newest.Lines) != 1 || newest.Lines[0].Message != "worse" {
		t.Errorf("the newest: %+v", newest)
	}
	if behind := b.Lines(1, 1, zerolog.DebugLevel); len(behind.Lines) != 1 || behind.Lines[0].Message != "grave" {
		t.Errorf("behind the first: %+v", behind)
	}
	if none := b.Lines(99, 10, zerolog.DebugLevel); len(none.Lines) != 0 || none.Lines == nil {
		t.Errorf("behind what is not there: %+v", none)
	}
}

// What is kept has an end, in lines and in the length of each.
func TestTheBookIsFull(t *testing.T) {
	b := &Book{}
	log := zerolog.New(b)
	for i := range 2*kept + 7 {
		log.Info().Int("i", i).Msg("")
	}
	all := b.Lines(0, 3*kept, zerolog.DebugLevel)
	if len(all.Lines) != kept || all.Last != 2*kept+7 || all.Lines[0].N != kept+8 || fmt.Sprint(all.Lines[kept-1].Fields["i"]) != fmt.Sprint(2*kept+6) {
		t.Errorf("%d lines, the first %+v, the last %+v", len(all.Lines), all.Lines[0], all.Lines[len(all.Lines)-1])
	}
	log.Info().Msg(strings.Repeat("x", maxLine))
	if all = b.Lines(0, 1, zerolog.DebugLevel); !strings.Contains(all.Lines[0].Message, "too long") {
		t.Errorf("%+v", all)
	}
	if _, err := b.Write([]byte("no JSON")); err != nil || b.Lines(0, 1, zerolog.DebugLevel).Lines[0].Message != "no JSON" {
		t.Errorf("a line that is no JSON: %v %+v", err, b.Lines(0, 1, zerolog.DebugLevel))
	}
}

func BenchmarkWrite(b *testing.B) {
	log := zerolog.New(&Book{}).With().Timestamp().Logger()
	b.ReportAllocs()
	for b.Loop() {
		log.Info().Str("part", "store").Msg("something was done")
	}
}
