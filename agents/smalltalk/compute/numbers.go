package compute

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

func prime(_ *context, v []*value) *value {
	n, ok := v[0].whole(0, 1e9)
	if !ok {
		return nil
	}
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return reply(fmt.Sprintf("No: %d is %d times %d.", n, d, n/d))
		}
	}
	if n < 2 {
		return reply(fmt.Sprintf("No, %d is not prime.", n))
	}
	return reply(fmt.Sprintf("Yes, %d is prime.", n))
}

func even(_ *context, v []*value) *value {
	n, ok := v[0].whole(-1e12, 1e12)
	if !ok {
		return nil
	}
	return reply(fmt.Sprintf("%d is %s.", n, [...]string{"even", "odd"}[n&1]))
}

func divisible(_ *context, v []*value) *value {
	a, ok := v[0].whole(0, 1e12)
	b, ok2 := v[1].whole(1, 1e12)
	if !ok || !ok2 {
		return nil
	}
	if a%b == 0 {
		return reply(fmt.Sprintf("Yes: %d is %d times %d.", a, b, a/b))
	}
	return reply(fmt.Sprintf("No: %d times %d is %d, and %d is left over.", b, a/b, a/b*b, a%b))
}

// divided shares without breaking: so many each, and what is left over.
func divided(_ *context, v []*value) *value {
	a, ok := v[0].whole(0, 1e12)
	b, ok2 := v[1].whole(1, 1e12)
	if !ok || !ok2 {
		return nil
	}
	if a%b == 0 {
		return reply(fmt.Sprintf("Nothing: %d each, and 0 left over.", a/b))
	}
	return reply(fmt.Sprintf("%d: each gets %d.", a%b, a/b))
}

func factorial(_ *context, v []*value) *value {
	n, ok := v[0].whole(0, 17)
	if !ok {
		return nil
	}
	x := 1.0
	for k := 2; k <= n; k++ {
		x *= float64(k)
	}
	return worked(x)
}

// upTo adds all whole numbers from one to another.
func upTo(_ *context, v []*value) *value {
	a, ok := v[0].whole(-1e6, 1e6)
	b, ok2 := v[1].whole(-1e6, 1e6)
	if !ok || !ok2 || b <= a {
		return nil
	}
	return worked(float64(a+b) * float64(b-a+1) / 2)
}

func rounded(_ *context, v []*value) *value {
	places, ok := v[1].whole(0, 9)
	if !ok || !v[0].plain() {
		return nil
	}
	return reply(strconv.FormatFloat(v[0].x, 'f', places, 64) + ".")
}

func nearest(_ *context, v []*value) *value {
	if !plainOnly(v...) || v[1].x <= 0 {
		return nil
	}
	return worked(math.Round(v[0].x/v[1].x) * v[1].x)
}

// asPercent is a fraction in hundredths.
func asPercent(_ *context, v []*value) *value {
	if !v[0].plain() || !v[0].parts && v[0].x == math.Trunc(v[0].x) {
		return nil
	}
	s, _ := figure(tidy(v[0].x * 100))
	return reply(s + " percent.")
}

// partOf is what percentage a is of b.
func partOf(_ *context, v []*value) *value {
	if !comparable(v[0], v[1]) || v[1].x == 0 {
		return nil
	}
	return asPercent(nil, []*value{{kind: amount, x: v[0].x / v[1].x, parts: true}})
}

func asDecimal(_ *context, v []*value) *value {
	if !v[0].plain() {
		return nil
	}
	s, _ := figure(v[0].x)
	return reply(s + ".")
}

func asFraction(_ *context, v []*value) *value {
	f := fraction(v[0].x)
	if !v[0].plain() || f == "" {
		return nil
	}
	return reply(f + ".")
}

// base is a number in another base.
func base(n int) action {
	return func(_ *context, v []*value) *value {
		k, ok := v[0].whole(0, 1e9)
		if !ok {
			return nil
		}
		return reply(strings.ToUpper(strconv.FormatInt(int64(k), n)) + ".")
	}
}

func fromBase(n int) action {
	return func(_ *context, v []*value) *value {
		s := v[0].text
		if v[0].kind == amount {
			s = strconv.FormatFloat(v[0].x, 'f', -1, 64)
		}
		k, err := strconv.ParseInt(strings.TrimPrefix(s, "0x"), n, 64)
		if err != nil {
			return nil
		}
		return reply(fmt.Sprintf("%d.", k))
	}
}

var romanDigits = []struct {
	n int
	s string
}{
	{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
}

func roman(n int) string {
	s := ""
	for _, d := range romanDigits {
		for ; n >= d.n; n -= d.n {
			s += d.s
		}
	}
	return s
}

func toRoman(_ *context, v []*value) *value {
	n, ok := v[0].whole(1, 3999)
	if !ok {
		return nil
	}
	return reply(roman(n) + ".")
}

func fromRoman(_ *context, v []*value) *value {
	s, n := strings.ToUpper(v[0].text), 0
	rest := s
	for _, d := range romanDigits {
		for strings.HasPrefix(rest, d.s) {
			n, rest = n+d.n, rest[len(d.s):]
		}
	}
	if rest != "" || n == 0 || roman(n) != s {
		return nil
	}
	return reply(fmt.Sprintf("%s is %d.", s, n))
}
