//go:build race

package rehearsal

// oneIn says which part of what is made by chance is tried: the race detector takes ten times as long.
const oneIn = 6
