// Package beat lets whatever looks after something now and then do so at the same moment, so that the processor is woken up once for
// all of them.
package beat

import "time"

var start = time.Now()

// Until returns the time until the next beat: the next multiple of every since the program began.
func Until(every time.Duration) time.Duration { return until(time.Since(start), every) }

func until(now, every time.Duration) time.Duration { return every - now%every }
