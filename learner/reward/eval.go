package reward

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Report says how well rewards agree with what people said that sentences are worth.
type Report struct {
	Sentences  int                         `json:"sentences"`
	Agreement  float64                     `json:"agreement"` // of the three classes, 0 … 1
	MAE        float64                     `json:"mae"`
	Opposite   int                         `json:"opposite"`         // praise taken for blame or the other way round
	Confusion  [numClasses][numClasses]int `json:"confusion"`        // a row for what it is, a column for what it was taken for
	Deciles    [10]float64                 `json:"deciles"`          // agreement of each tenth, the surest first
	MeantFound float64                     `json:"meant_found"`      // of what was meant, the share that was named
	MeantRight float64                     `json:"meant_right"`      // of what was named, the share that was meant
	Interval   [2]float64                  `json:"interval"`         // of the agreement, 95 %
	Wrong      []string                    `json:"wrong,omitempty"`  // sentences of another class
	Writer     string                      `json:"writer,omitempty"` // held out
}

// Evaluate compares scores with examples, one by one.
func Evaluate(examples []Example, score func(text string) Score) Report {
	r := Report{Sentences: len(examples)}
	type answer struct {
		doubt float64
		right bool
	}
	answers := make([]answer, len(examples))
	var named, meant, both float64
	for i, e := range examples {
		s := score(e.Text)
		is, taken := ClassOf(e.Reward), ClassOf(s.Reward)
		r.Confusion[is][taken]++
		r.MAE += math.Abs(e.Reward - s.Reward)
		answers[i] = answer{s.Uncertainty, is == taken}
		if is == taken {
			r.Agreement++
		} else {
			r.Wrong = append(r.Wrong, e.Text)
		}
		named += float64(len(s.Meant))
		meant += float64(len(e.Meant))
		for _, m := range s.Meant {
			if slices.Contains(e.Meant, m) {
				both++
			}
		}
	}
	n := float64(max(1, len(examples)))
	r.Agreement /= n
	r.MAE /= n
	r.Opposite = r.Confusion[Blame][Praise] + r.Confusion[Praise][Blame]
	r.MeantFound, r.MeantRight = both/max(1, meant), both/max(1, named)
	half := 1.96 * math.Sqrt(r.Agreement*(1-r.Agreement)/n)
	r.Interval = [2]float64{r.Agreement - half, r.Agreement + half}
	slices.SortStableFunc(answers, func(a, b answer) int {
		switch {
		case a.doubt < b.doubt:
			return -1
		case a.doubt > b.doubt:
			return 1
		}
		return 0
	})
	for d := range r.Deciles {
		part := answers[d*len(answers)/10 : (d+1)*len(answers)/10]
		for _, a := range part {
			if a.right {
				r.Deciles[d] += 1 / float64(len(part))
			}
		}
	}
	return r
}

// String is the report as a table.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sentences: %.1f %% of the class that people gave (95 %%: %.1f … %.1f), mean error %.3f, %d of the opposite sign\n",
		r.Sentences, 100*r.Agreement, 100*r.Interval[0], 100*r.Interval[1], r.MAE, r.Opposite)
	fmt.Fprintf(&b, "%-10s %8s %8s %8s\n", "is, as:", Blame, Neutral, Praise)
	for c, row := range r.Confusion {
		fmt.Fprintf(&b, "%-10s %8d %8d %8d\n", Class(c), row[0], row[1], row[2])
	}
	b.WriteString("agreement by tenths, the surest first:")
	for _, d := range r.Deciles {
		fmt.Fprintf(&b, " %.0f", 100*d)
	}
	fmt.Fprintf(&b, "\nmeant: %.0f %% found, %.0f %% of what is named is right\n", 100*r.MeantFound, 100*r.MeantRight)
	return b.String()
}
