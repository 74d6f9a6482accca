package main

import (
	"context"
	"math"

	"github.com/reachyd/reachyd/perception/sense"
)

func (w *senses) speech(context.Context) sense.Speech {
	return sense.Speech{Off: "no voice in this build"}
}

func degrees(rad float64) float64 { return rad * 180 / math.Pi }
