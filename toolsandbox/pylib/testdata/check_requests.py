import requests


def raises(kind, f, *args, **options):
    try:
        f(*args, **options)
    except kind as e:
        return str(e)
    raise AssertionError(f"{f} did not raise {kind}")


def test_web(base: str):
    r = requests.get(base + "/echo", params={"q": "ä b", "n": [1, 2]}, headers={"X-Mine": "yes"}, timeout=5)
    assert r.status_code == 200 and r.ok and bool(r), r
    told = r.json()
    assert told["query"] == "q=%C3%A4+b&n=1&n=2" and told["mine"] == "yes" and told["method"] == "GET", told
    assert r.headers["content-type"].startswith("application/json")
    r = requests.post(base + "/echo", json={"a": [1, "ü"]})
    assert r.json()["body"] == '{"a": [1, "\\u00fc"]}' and r.json()["type"] == "application/json", r.json()
    assert requests.post(base + "/echo", data={"a": "b c"}).json()["body"] == "a=b+c"
    r = requests.get(base + "/missing")
    assert r.status_code == 404 and not r
    assert "404" in raises(requests.exceptions.HTTPError, r.raise_for_status)
    assert requests.get(base + "/redirect").url.endswith("/echo")
    assert requests.get(base + "/text").text == "Grüße" and requests.get(base + "/text").content == "Grüße".encode("latin-1")
    raises(ValueError, requests.get(base + "/text").json)
    with requests.Session() as s:
        s.headers["X-Mine"] = "session"
        assert s.get(base + "/echo").json()["mine"] == "session"


def test_refused(base: str):
    message = raises(PermissionError, requests.get, "http://example.org/")
    assert "example.org" in message and "allowed" in message, message
    raises(requests.RequestException, requests.get, "https://example.org/")
    raises(PermissionError, requests.get, base + "/away")  # a redirect to a host that was not allowed
    raises(requests.exceptions.Timeout, requests.get, base + "/slow", timeout=0.05)
    raises(requests.exceptions.RequestException, requests.get, base + "/big")
    raises(ValueError, requests.get, "ftp://x/")
    raises(NotImplementedError, requests.request, "DELETE", base)
    raises(NotImplementedError, requests.get, base, stream=True)
    raises(NotImplementedError, lambda: requests.put)


def not_granted(base: str):
    raises(PermissionError, requests.get, base)
