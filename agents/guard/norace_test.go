//go:build !race

package guard

const every = 1
