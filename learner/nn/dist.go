package nn

import "math"

const logSqrt2Pi = 0.9189385332046727

// Softmax writes the probabilities of logits into p and returns the logarithm of their normaliser.
func Softmax(logits, p []float32) float64 {
	top := math.Inf(-1)
	for _, v := range logits {
		top = max(top, float64(v))
	}
	sum := 0.0
	for i, v := range logits {
		e := math.Exp(float64(v) - top)
		p[i] = float32(e)
		sum += e
	}
	for i := range p {
		p[i] = float32(float64(p[i]) / sum)
	}
	return top + math.Log(sum)
}

// CategoricalLoss is a·log π(action) + b·H(π) for one row of logits. It returns both parts and adds the derivative of the
// weighted sum to d.
func CategoricalLoss(logits []float32, action int, a, b float64, d, scratch []float32) (logp, entropy float64) {
	norm := Softmax(logits, scratch)
	for i, p := range scratch {
		entropy -= float64(p) * (float64(logits[i]) - norm)
	}
	logp = float64(logits[action]) - norm
	for i, p := range scratch {
		is := 0.0
		if i == action {
			is = 1
		}
		d[i] += float32(a*(is-float64(p)) - b*float64(p)*(float64(logits[i])-norm+entropy))
	}
	return logp, entropy
}

// GaussianLogProb is log N(x; mean, exp(logStd)) summed over the dimensions.
func GaussianLogProb(x, mean, logStd []float32) float64 {
	sum := 0.0
	for i := range x {
		z := float64(x[i]-mean[i]) / math.Exp(float64(logStd[i]))
		sum -= z*z/2 + float64(logStd[i]) + logSqrt2Pi
	}
	return sum
}

// GaussianGrad adds a·∂log N/∂mean to dMean and a·∂log N/∂logStd to dLogStd.
func GaussianGrad(x, mean, logStd []float32, a float64, dMean, dLogStd []float32) {
	for i := range x {
		inv := math.Exp(-float64(logStd[i]))
		z := float64(x[i]-mean[i]) * inv
		dMean[i] += float32(a * z * inv)
		dLogStd[i] += float32(a * (z*z - 1))
	}
}

// GaussianEntropy is the entropy of a diagonal Gaussian; its derivative by each logStd is 1.
func GaussianEntropy(logStd []float32) float64 {
	sum := 0.0
	for _, s := range logStd {
		sum += float64(s) + 0.5 + logSqrt2Pi
	}
	return sum
}
