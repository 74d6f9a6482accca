"""Evaluates expressions and statements with the sandbox's numpy, and compares with what the real one (2.4.6) gave."""
import numpy as np

S = np.array([[4.0, 1, 2], [1, 3, 0], [2, 0, 5]])


def plain(v):
    if isinstance(v, (tuple, list)):
        return [plain(x) for x in v]
    if hasattr(v, "tolist"):
        v = v.tolist()
    if isinstance(v, list):
        return [plain(x) for x in v]
    if isinstance(v, float):
        return repr(round(v, 9))
    return v if isinstance(v, (bool, int, str)) else str(v)


def check(cases: dict) -> list:
    wrong = []
    for text, want in cases.items():
        try:
            if "r=" in text and ";" in text or text.startswith("r="):
                names = {"np": np}
                exec(text, names)
                got = plain(names["r"])
            else:
                got = plain(eval(text))
        except Exception as e:
            got = "!" + type(e).__name__
        if got != want:
            wrong.append([text, str(got), str(want)])
    return wrong


def raises(kind, f, *args):
    try:
        f(*args)
    except kind as e:
        return str(e)
    raise AssertionError(f"{f} did not raise {kind}")


def test_errors():
    assert "supported are" in raises(NotImplementedError, lambda: np.fft)
    assert "array" in raises(NotImplementedError, lambda: np.einsum("ij", S))
    assert "norm" in raises(NotImplementedError, lambda: np.linalg.eig(S))
    assert "float64" in raises(NotImplementedError, lambda: np.zeros(3, dtype=complex))
    assert "ndarray.view" in raises(NotImplementedError, lambda: S.view())
    assert not hasattr(np, "fft")
    raises(NotImplementedError, np.array, ["a"])
    raises(NotImplementedError, np.zeros, (1, 1, 1, 1, 1))
    raises(ValueError, np.array, [[1, 2], [3]])
    raises(ValueError, lambda: np.ones(3) + np.ones(2))
    raises(IndexError, lambda: np.ones(3)[3])
    raises(IndexError, lambda: np.ones((2, 2))[0, 0, 0])
    raises(ValueError, np.matmul, np.ones((2, 3)), np.ones((2, 3)))
    raises(np.linalg.LinAlgError, np.linalg.inv, np.zeros((2, 2)))
    raises(ValueError, bool, np.ones(2))
    raises(ValueError, lambda: np.ones(4).reshape(3))


def test_limit():
    assert "4000000" in raises(MemoryError, np.zeros, (2001, 2000))
    assert np.zeros((2000, 2000), dtype=np.uint8).size == 4_000_000


def test_random():
    a, b = np.random.default_rng(3).random(5), np.random.default_rng(3).random(5)
    assert np.array_equal(a, b) and np.all((a >= 0) & (a < 1))
    assert sorted(np.random.permutation(5).tolist()) == [0, 1, 2, 3, 4]
    x = np.random.normal(10, 2, size=2000)
    assert abs(x.mean() - 10) < 0.3 and abs(x.std() - 2) < 0.3
    assert np.random.randint(0, 3, size=50).max() <= 2
    assert np.random.choice(["a", "b"]) in ("a", "b")


def test_result() -> list:
    return [np.float64(1.5), np.int64(2), np.array([1, 2]), np.array([[True]]), {"a": np.zeros(1)}]
