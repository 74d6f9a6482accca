//go:build mujoco && race

package vision

// slow says that the race detector makes drawing pictures ten times as slow: fewer are judged then.
const slow = true
