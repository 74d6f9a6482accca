package guest

import (
	"encoding/json"
	"testing"
)

func TestNumpySubset(t *testing.T) {
	s := sharedSandbox(t)
	// The 3-D distance of the specification.
	r, err := s.Call(t.Context(), &Request{
		Source: source("import numpy as np", "from typing import List", "def calculate_distance_3d(point1: List[float], point2: List[float]) -> float:",
			"    p1 = np.array(point1)", "    p2 = np.array(point2)", "    return float(np.linalg.norm(p1 - p2))"),
		Function: "calculate_distance_3d", Args: json.RawMessage(`{"point1":[1,2,3],"point2":[4,6,3]}`),
	})
	if err != nil || string(r.Value) != "5.0" {
		t.Errorf("%s %+v %v", r.Value, r.Error, err)
	}
	for expression, want := range map[string]string{
		"np.array([1, 2, 3]) * 2 + 1":                                  "[3,5,7]",
		"1 - np.array([[1, 2], [3, 4]]) * np.array([1, 10])":           "[[0,-19],[-2,-39]]",
		"np.array([[1, 2], [3, 4]]) @ np.array([1, 1])":                "[3,7]",
		"np.dot([1, 2, 3], [4, 5, 6])":                                 "32",
		"np.array([[1, 2], [3, 4]]).T @ np.eye(2)":                     "[[1.0,3.0],[2.0,4.0]]",
		"np.array([[1, 2], [3, 4]]).sum(axis=0)":                       "[4,6]",
		"np.mean([[1, 2], [3, 4]], axis=1)":                            "[1.5,3.5]",
		"np.array([1, 2, 3, 4])[np.array([1, 2, 3, 4]) > 2]":           "[3,4]",
		"np.array([[1, 2, 3], [4, 5, 6]])[:, 1]":                       "[2,5]",
		"np.array([[1, 2, 3], [4, 5, 6]]).reshape(3, -1)":              "[[1,2],[3,4],[5,6]]",
		"[np.array([1, 2]).shape, np.zeros((2, 3)).shape]":             "[[2],[2,3]]",
		"np.clip(np.arange(5), 1, 3)":                                  "[1,1,2,3,3]",
		"np.linspace(0, 1, 3)":                                         "[0.0,0.5,1.0]",
		"np.cross([1, 0, 0], [0, 1, 0])":                               "[0,0,1]",
		"bool(np.allclose(np.sin([0, np.pi / 2]), [0, 1]))":            "true",
		"[np.std([1, 3]), np.median([3, 1, 2]), np.argmax([1, 5, 2])]": "[1.0,2.0,1]",
		"np.linalg.norm([[3, 4], [6, 8]], axis=1)":                     "[5.0,10.0]",
		"-abs(np.array([-1.5, 2]))":                                    "[-1.5,-2]",
		"np.where(np.array([1, -1]) > 0, [1, 1], [0, 0])":              "[1,0]",
		"np.concatenate([np.array([1]), [2, 3]])":                      "[1,2,3]",
	} {
		r, err := s.Call(t.Context(), &Request{Source: "import numpy as np\ndef f():\n    return " + expression + "\n", Function: "f"})
		if err != nil || string(r.Value) != want {
			t.Errorf("%s = %s %+v %v, want %s", expression, r.Value, r.Error, err, want)
		}
	}
	for _, expression := range []string{"np.array([1, 2]) + np.array([1, 2, 3])", "np.array([[1], [2, 3]])", "np.array(['a'])", "bool(np.array([1, 2]))", "np.fft.fft([1])"} {
		r, err := s.Call(t.Context(), &Request{Source: "import numpy as np\ndef f():\n    return " + expression + "\n", Function: "f"})
		if err != nil || r.Reason != ReasonError {
			t.Errorf("%s: %+v %v", expression, r, err)
		}
	}
}
