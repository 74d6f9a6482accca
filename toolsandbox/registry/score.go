package registry

import (
	"math"
	"time"
)

// Score says how good a version is, each part from 0 to 1.
type Score struct {
	Total           float64 `json:"total"`
	Syntax          float64 `json:"syntax"`
	Coverage        float64 `json:"coverage"`
	Documentation   float64 `json:"documentation"`
	Performance     float64 `json:"performance"`
	Maintainability float64 `json:"maintainability"`
}

// The weights of the parts.
const (
	weightSyntax          = 0.25
	weightCoverage        = 0.20
	weightDocumentation   = 0.15
	weightPerformance     = 0.20
	weightMaintainability = 0.20
)

// ScoreOf computes the score of a version:
//
//	syntax           1 − 0.1 for every warning of the validator, at least 0; 0 with an error
//	coverage         part of the lines that ran in the tests; 0 without tests
//	documentation    documented ÷ documentable items (summary, parameters, what is returned); 0 when there are none
//	performance      processor time of the median case: 1 up to 10 ms, 0 from 10 s, in between by its logarithm;
//	                 0 without tests
//	maintainability  half the complexity (1 up to 5, 0 from 15, linear), half the length (1 up to 50 lines of code,
//	                 0 from 300, linear)
//	total            0.25 syntax + 0.20 coverage + 0.15 documentation + 0.20 performance + 0.20 maintainability
func ScoreOf(v *Version) Score {
	s := Score{
		Syntax:          clamp(1 - 0.1*float64(len(v.Findings))),
		Maintainability: (falling(float64(v.Metrics.Complexity), 5, 15) + falling(float64(v.Metrics.Lines), 50, 300)) / 2,
	}
	if hasErrors(v.Findings) {
		s.Syntax = 0
	}
	if v.Metrics.Documentable > 0 {
		s.Documentation = clamp(float64(v.Metrics.Documented) / float64(v.Metrics.Documentable))
	}
	if v.Report != nil {
		s.Coverage = clamp(v.Report.Coverage)
		ms := max(float64(v.Report.Median)/float64(time.Millisecond), 1)
		s.Performance = falling(math.Log10(ms), 1, 4)
	}
	s.Total = weightSyntax*s.Syntax + weightCoverage*s.Coverage + weightDocumentation*s.Documentation +
		weightPerformance*s.Performance + weightMaintainability*s.Maintainability
	return s
}

// falling is 1 up to good, 0 from bad, and linear in between.
func falling(x, good, bad float64) float64 { return clamp((bad - x) / (bad - good)) }

// clamp also makes 0 of what is not a number, which JSON cannot carry.
func clamp(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), 1)
}
