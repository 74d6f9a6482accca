package main

import (
	"context"
	"os"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal/powerkey"
)

// What the power key does.
const (
	keyOff      = "off"
	keySleep    = "sleep"
	keyPowerOff = "power_off"
)

// powerKeys are those of this host; tests have their own.
var powerKeys = powerkey.Host

// watchPowerKey lets the robot lie down when a power key is pressed, and then has the host powered off if the options say so: who may do
// that waits for the file. A robot that cannot lie down does not keep its host from being powered off.
func watchPowerKey(ctx context.Context, o *options, park func(context.Context) error, log zerolog.Logger) {
	if o.powerKey == keyOff {
		return
	}
	_ = powerKeys(log).Run(ctx, func() { // it ends with ctx
		if err := park(ctx); err != nil {
			log.Warn().Err(err).Msg("park")
		}
		if o.powerKey != keyPowerOff || ctx.Err() != nil {
			return
		}
		log.Info().Str("file", o.powerOff).Msg("asking for the host to be powered off")
		if err := os.WriteFile(o.powerOff, nil, 0o600); err != nil {
			log.Warn().Err(err).Msg("the host cannot be powered off")
		}
	})
}
