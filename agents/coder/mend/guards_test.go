package mend

import "testing"

// Checks that nobody asked for are left out; what else depends on the condition stays.
func TestUnguarded(t *testing.T) {
	for source, want := range map[string]string{
		"def f(n):\n    if n < 0:\n        raise ValueError(\"no\")\n    return n\n":                            "def f(n):\n    return n\n",
		"def f(n):\n    if n < 0: raise ValueError(\"no\")\n    return n\n":                                     "def f(n):\n    return n\n",
		"def f(n):\n    if n < 0:\n        raise ValueError(\n            \"(no\"\n        )\n\n    return n\n": "def f(n):\n\n    return n\n",
		"def f(n):\n    if not n:\n        raise KeyError(n)\n    return n\n":                                   "",
		"def f(n):\n    if n < 0:\n        raise ValueError(n)\n    elif n:\n        return 1\n    return n\n":  "",
		"def f(n):\n    for x in n:\n        if x < 0:\n            raise ValueError(x)\n    return n\n":        "",
		"def f(n):\n    if n < 0:\n        print(n)\n        raise ValueError(n)\n    return n\n":               "",
		"def f(n):\n    try:\n        if n < 0:\n            raise E\n        g\n    finally: h\n":              "def f(n):\n    try:\n        g\n    finally: h\n",
		"if":               "",
		"    if x:":        "",
		"    if x: raise":  "",
		"    if x:\nraise": "",
	} {
		if want == "" {
			want = source
		}
		if got := Unguarded(source, []string{"KeyError"}); got != want {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s", source, got, want)
		}
	}
}
