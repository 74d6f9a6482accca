//go:build race

package guard

// every says which part of the many sentences is judged: the race detector is slow.
const every = 10
