//go:build !race

package rehearsal

const oneIn = 1
