"""The part of requests that tools need: get and post, to the hosts that the owner of the robot allowed. The host does it."""
import binascii
import json as _json
import sys
import types
from urllib.parse import urlencode

from reachy import HostError, call

SUPPORTED = "get, post, request, Session (get, post, headers), Response, exceptions"


class RequestException(OSError):
    def __init__(self, *args, response=None, request=None):
        super().__init__(*args)
        self.response, self.request = response, request


class HTTPError(RequestException): pass
class ConnectionError(RequestException): pass
class Timeout(RequestException): pass
class InvalidURL(RequestException, ValueError): pass
class JSONDecodeError(RequestException, ValueError): pass
class TooLarge(RequestException): pass


class NotAllowed(RequestException, PermissionError):
    """The owner of the robot did not allow this."""


ReadTimeout = ConnectTimeout = Timeout


class CaseInsensitiveDict(dict):
    def __init__(self, items):
        super().__init__({k.title(): v for k, v in items.items()})

    def __getitem__(self, key): return super().__getitem__(key.title())
    def __contains__(self, key): return super().__contains__(key.title())
    def get(self, key, default=None): return super().get(key.title(), default)


class Response:
    def __init__(self, answer):
        self.status_code, self.reason, self.url = answer["status"], answer["reason"], answer["url"]
        self.headers = CaseInsensitiveDict(answer["headers"])
        self.content = binascii.a2b_base64(answer["body"] or "")
        self.encoding = "utf-8"
        for part in self.headers.get("content-type", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name.lower() == "charset":
                self.encoding = value.strip("\"'")

    @property
    def ok(self):
        return self.status_code < 400

    @property
    def text(self):
        try:
            return self.content.decode(self.encoding, "replace")
        except LookupError:
            return self.content.decode("utf-8", "replace")

    def json(self):
        try:
            return _json.loads(self.content)
        except ValueError as e:
            raise JSONDecodeError(f"the answer of {self.url} is not JSON: {e}") from None

    def raise_for_status(self):
        if not self.ok:
            raise HTTPError(f"{self.status_code} {self.reason} for url: {self.url}", response=self)

    def __bool__(self): return self.ok
    def __repr__(self): return f"<Response [{self.status_code}]>"
    def __enter__(self): return self
    def __exit__(self, *error): return False
    def close(self): pass


def request(method, url, params=None, data=None, json=None, headers=None, timeout=None, auth=None, allow_redirects=True, **others):
    method = method.upper()
    if method not in ("GET", "POST"):
        raise NotImplementedError(f"requests.{method.lower()} is not part of the sandbox's requests; supported are: {SUPPORTED}")
    if others or allow_redirects is not True:
        raise NotImplementedError(f"requests option {next(iter(others), 'allow_redirects')}; supported are params, data, json, headers, timeout and auth")
    url, headers = str(url), {str(k): str(v) for k, v in (headers or {}).items()}
    if params:
        head, hash_, tail = url.partition("#")
        url = head + ("&" if "?" in head else "?") + (params if isinstance(params, str) else urlencode({k: v for k, v in dict(params).items() if v is not None}, doseq=True)) + hash_ + tail
    body = b""
    if json is not None:
        body = _json.dumps(json).encode()
        headers.setdefault("Content-Type", "application/json")
    elif isinstance(data, dict):
        body = urlencode(data, doseq=True).encode()
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    elif data is not None:
        body = data.encode() if isinstance(data, str) else bytes(data)
    if auth:
        headers["Authorization"] = "Basic " + binascii.b2a_base64(f"{auth[0]}:{auth[1]}".encode(), newline=False).decode()
    args = {"method": method, "url": url, "headers": headers, "body": binascii.b2a_base64(body, newline=False).decode()}
    if timeout is not None:
        args["timeout"] = float(sum(timeout) if isinstance(timeout, tuple) else timeout)
    try:
        return Response(call("http", **args))
    except HostError as e:
        kind = {"denied": NotAllowed, "forbidden": NotAllowed, "timeout": Timeout, "invalid": InvalidURL, "limit_exceeded": TooLarge}.get(e.code, ConnectionError)
        raise kind(str(e)) from None


def get(url, params=None, **options):
    return request("GET", url, params=params, **options)


def post(url, data=None, json=None, **options):
    return request("POST", url, data=data, json=json, **options)


class Session:
    def __init__(self):
        self.headers = {}

    def request(self, method, url, headers=None, **options):
        return request(method, url, headers={**self.headers, **(headers or {})}, **options)

    def get(self, url, **options): return self.request("GET", url, **options)
    def post(self, url, **options): return self.request("POST", url, **options)
    def __enter__(self): return self
    def __exit__(self, *error): return False
    def close(self): pass


exceptions = types.ModuleType("requests.exceptions")
for _cls in (RequestException, HTTPError, ConnectionError, Timeout, ReadTimeout, InvalidURL, JSONDecodeError, NotAllowed, TooLarge):
    setattr(exceptions, _cls.__name__, _cls)
exceptions.ReadTimeout = exceptions.ConnectTimeout = Timeout
sys.modules["requests.exceptions"] = exceptions


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"requests.{name} is not part of the sandbox's requests; supported are: {SUPPORTED}")
