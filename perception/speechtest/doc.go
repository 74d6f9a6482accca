// Package speechtest makes speech and noise for tests: espeak-ng and flite speak, and noise, a room and pauses are mixed
// in. The same arguments always give the same samples.
//
// All audio is mono float32 at 16 kHz, −1…1.
package speechtest
