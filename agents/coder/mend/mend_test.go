package mend

import (
	"strings"
	"testing"
)

var count = Function{
	Name: "count_vowels", Signature: "(text: str) -> int", Summary: "Counts vowels", Parameters: []Parameter{{"text", "what is looked at"}}, Returns: "How many.",
}

const good = `"""Counts vowels."""
import re


def count_vowels(text: str) -> int:
    """Counts vowels.

    Args:
        text: what is looked at

    Returns:
        How many.
    """
    return len(re.findall("[aeiou]", text.lower()))
`

func TestPython(t *testing.T) {
	for name, source := range map[string]string{
		"as it should be": good,
		"bare":            "def count_vowels(text):\n    return len(re.findall(\"[aeiou]\", text.lower()))\n",
		"another name, an example and a main": "import re\n\n\ndef vowels(text: str):\n    \"\"\"Counts.\"\"\"\n" +
			"    return len(re.findall(\"[aeiou]\", text.lower()))\n\n" +
			"print(vowels(\"x\"))\nresult = vowels(\"y\")\nassert result == 0\nif __name__ == \"__main__\":\n    vowels(\"z\")\n",
	} {
		got, changed := Python(source, count)
		if strings.ReplaceAll(got, "\n\n\n", "\n\n") != strings.ReplaceAll(good, "\n\n\n", "\n\n") {
			t.Errorf("%s: %q became\n%s", name, changed, got)
		}
		if name == "as it should be" && len(changed) > 0 {
			t.Errorf("%q", changed)
		}
		if again, more := Python(got, count); again != got || len(more) > 0 {
			t.Errorf("%s: mended again, %q:\n%s", name, more, again)
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{
			"from typing import List, Optional\ndef f(x: List[int], y: Optional[str] = None) -> Dict[str, int]:\n    return {}\n",
			"def f(x: list[int], y: str | None = None) -> dict[str, int]:",
		},
		{"def f(x):\n    return Counter(x), math.sqrt(2), sqrt(3)\n", "from collections import Counter\nimport math\nfrom math import sqrt\n"},
		{"def f(x):\n    mean = sum(x) / len(x)\n    return mean * (2)\n", "def f(x):\n"},
		{"LIMIT = 3\nTABLE = {\n    \"a\": 1,\n}\ndef f(x):\n    return TABLE\n", "TABLE = {\n    \"a\": 1,\n}\n"},
		{"def _help(x):\n    return x\n\ndef g(x):\n    return _help(x)\n", "def f(x):\n"},
		{"def f(x): return x\n", "def f(x): return x\n"},
		{"no code at all", "no code at all"},
	} {
		if got, _ := Python(c.source, Function{Name: "f"}); !strings.Contains(got, c.want) {
			t.Errorf("%q became\n%s\nwant in it %q", c.source, got, c.want)
		}
	}
	if got, _ := Python("def f(x):\n    mean = 1\n    return mean (2)\n", Function{Name: "f"}); strings.Contains(got, "import") {
		t.Errorf("a name of its own was imported:\n%s", got)
	}
}

func FuzzPython(f *testing.F) {
	f.Add(good)
	f.Add("def count_vowels(text")
	f.Add("def count_vowels(text):\n\"\"\"x\"\"\"")
	f.Fuzz(func(t *testing.T, source string) {
		if got, _ := Python(source, count); strings.Contains(source, "def ") && !strings.Contains(got, "def ") {
			t.Errorf("the function is gone from %q: %q", source, got)
		}
	})
}
