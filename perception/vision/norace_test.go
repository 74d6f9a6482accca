//go:build mujoco && !race

package vision

const slow = false
