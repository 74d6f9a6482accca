//go:build !race

package vision

const slow = false
