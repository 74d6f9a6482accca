package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func vector(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// check compares a derivative with the central difference of f at each of p.
func check(t *testing.T, name string, p, grad []float32, f func() float64) {
	t.Helper()
	const h = 2e-3
	var worst, scale float64
	for _, g := range grad {
		scale = max(scale, math.Abs(float64(g)))
	}
	for i := range p {
		was := p[i]
		p[i] = was + h
		up := f()
		p[i] = was - h
		down := f()
		p[i] = was
		worst = max(worst, math.Abs((up-down)/(2*h)-float64(grad[i])))
	}
	if scale == 0 || worst > 4e-3*scale {
		t.Errorf("%s: a derivative is off by %.2g, of at most %.2g", name, worst, scale)
	}
}

// half is ½·Σ w·y², a loss with the derivative w·y.
func half(y, w []float32) float64 {
	sum := 0.0
	for i := range y {
		sum += float64(w[i]) * float64(y[i]) * float64(y[i]) / 2
	}
	return sum
}

func TestGradientsOfLayers(t *testing.T) {
	for _, c := range []struct {
		name  string
		act   Activation
		sizes []int
	}{
		{"linear", Tanh, []int{3, 2}},
		{"tanh", Tanh, []int{3, 5, 2}},
		{"relu", ReLU, []int{3, 6, 2}},
		{"two hidden, tanh", Tanh, []int{4, 8, 7, 3}},
		{"two hidden, relu", ReLU, []int{4, 8, 7, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := newRand(3)
			n := NewMLP(rng, c.act, 1, c.sizes...)
			const batch = 5
			x := vector(rng, batch*n.In())
			w := vector(rng, batch*n.Out())
			y := n.Forward(x, batch)
			d := make([]float32, len(y))
			for i := range y {
				d[i] = w[i] * y[i]
			}
			n.ZeroGrads()
			dx := append([]float32(nil), n.Backward(d)...)
			grads := append([]float32(nil), n.Grads()...)
			f := func() float64 { return half(n.Forward(x, batch), w) }
			check(t, "parameters", n.Params(), grads, f)
			check(t, "inputs", x, dx, f)
		})
	}
}

func TestGradientsAddUp(t *testing.T) {
	rng := newRand(4)
	n := NewMLP(rng, Tanh, 1, 2, 3, 1)
	x := vector(rng, 2)
	n.Forward(x, 1)
	n.Backward([]float32{1})
	once := append([]float32(nil), n.Grads()...)
	n.Backward([]float32{1})
	for i, g := range n.Grads() {
		if math.Abs(float64(g-2*once[i])) > 1e-6 {
			t.Fatalf("gradient %d is %g after two passes, %g after one", i, g, once[i])
		}
	}
}

func TestGradientOfCategorical(t *testing.T) {
	rng := newRand(5)
	logits, scratch := vector(rng, 4), make([]float32, 4)
	const a, b = 0.7, -0.3
	d := make([]float32, 4)
	CategoricalLoss(logits, 2, a, b, d, scratch)
	check(t, "logits", logits, d, func() float64 {
		logp, h := CategoricalLoss(logits, 2, 0, 0, make([]float32, 4), scratch)
		return a*logp + b*h
	})
}

func TestGradientOfGaussian(t *testing.T) {
	rng := newRand(6)
	x, mean, logStd := vector(rng, 3), vector(rng, 3), vector(rng, 3)
	dm, ds := make([]float32, 3), make([]float32, 3)
	const a = 1.3
	GaussianGrad(x, mean, logStd, a, dm, ds)
	f := func() float64 { return a * GaussianLogProb(x, mean, logStd) }
	check(t, "mean", mean, dm, f)
	check(t, "log std", logStd, ds, f)
	check(t, "entropy", logStd, []float32{1, 1, 1}, func() float64 { return GaussianEntropy(logStd) })
}

func TestTanhIsTanh(t *testing.T) {
	for x := float32(-9); x < 9; x += 0.0037 {
		if got, want := Tanh32(x), math.Tanh(float64(x)); math.Abs(float64(got)-want) > 5e-6 {
			t.Fatalf("tanh(%g) = %g, want %g", x, got, want)
		}
	}
}

func TestAdamFindsTheMinimum(t *testing.T) {
	p := []float32{3, -2}
	a := NewAdam(0.1, 1e-8, p)
	for range 500 {
		a.Update([][]float32{p}, [][]float32{{2 * (p[0] - 1), 8 * (p[1] - 2)}})
	}
	if math.Abs(float64(p[0]-1)) > 0.01 || math.Abs(float64(p[1]-2)) > 0.01 {
		t.Fatalf("ended at %v, want (1, 2)", p)
	}
	if a.Fits(p) != nil || a.Fits(p[:1]) == nil || a.Fits() == nil {
		t.Error("Fits does not tell its own parameters from others")
	}
}

func TestClipNorm(t *testing.T) {
	g := []float32{3, 4}
	if n := ClipNorm(1, g); n != 5 || math.Abs(float64(g[0])-0.6) > 1e-6 {
		t.Errorf("norm %g, clipped %v", n, g)
	}
	if ClipNorm(10, g); math.Abs(float64(g[0])-0.6) > 1e-6 {
		t.Error("a short gradient was scaled")
	}
}

func TestNormalizer(t *testing.T) {
	rng := newRand(8)
	s := NewNormalizer(1, 5)
	for range 20000 {
		s.Add([]float32{float32(3 + 2*rng.NormFloat64())})
	}
	out := make([]float32, 1)
	if s.Apply([]float32{5}, out); math.Abs(float64(out[0])-1) > 0.05 {
		t.Errorf("5 of N(3, 2) became %g", out[0])
	}
	if s.Apply([]float32{1000}, out); out[0] != 5 {
		t.Errorf("1000 was not clipped: %g", out[0])
	}
	if d := s.Distance([]float32{23}); math.Abs(d-10) > 0.3 {
		t.Errorf("23 is %g deviations away, want 10", d)
	}
}

func TestOrthogonal(t *testing.T) {
	w := make([]float32, 6*4)
	orthogonal(newRand(9), w, 6, 4, 2)
	for a := range 4 {
		for b := range 4 {
			dot := 0.0
			for r := range 6 {
				dot += float64(w[r*4+a]) * float64(w[r*4+b])
			}
			want := 0.0
			if a == b {
				want = 4
			}
			if math.Abs(dot-want) > 1e-5 {
				t.Fatalf("columns %d and %d: %g, want %g", a, b, dot, want)
			}
		}
	}
}

func TestSetParamsChecksTheirNumber(t *testing.T) {
	n := NewMLP(newRand(1), Tanh, 1, 2, 2)
	if n.SetParams(make([]float32, 5)) == nil || n.SetParams(make([]float32, 6)) != nil {
		t.Error("a wrong number of parameters was taken, or the right one was not")
	}
}
