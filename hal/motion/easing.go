package motion

import "github.com/reachyd/reachyd/hal"

// progress returns how far a move is at τ of its time. Only the cartoon law leaves [0,1]: it draws back and overshoots.
func progress(law hal.Easing, tau float64) float64 {
	if tau <= 0 {
		return 0
	}
	if tau >= 1 {
		return 1
	}
	switch law {
	case hal.EasingLinear:
		return tau
	case hal.EasingEaseInOut:
		if tau < 0.5 {
			return 2 * tau * tau
		}
		u := 2 - 2*tau
		return 1 - u*u/2
	case hal.EasingCartoon:
		const c = 1.70158 * 1.525
		if tau < 0.5 {
			u := 2 * tau
			return u * u * ((c+1)*u - c) / 2
		}
		u := 2*tau - 2
		return (u*u*((c+1)*u+c) + 2) / 2
	}
	return tau * tau * tau * (10 + tau*(6*tau-15)) // minimum jerk
}

// carry is the quintic that starts with slope 1 and ends, like its slope and curvature, at zero: a move that replaces
// another carries its speed on and lets it fade.
func carry(tau float64) float64 {
	if tau <= 0 || tau >= 1 {
		return 0
	}
	u := 1 - tau
	return tau * u * u * u * (1 + 3*tau)
}
