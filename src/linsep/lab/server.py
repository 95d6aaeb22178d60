"""The live lab: one page and one kind of request, on this machine only.

Whoever asks needs the token of the address, our Host and our Origin; sizes are checked before anything is read.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import traceback
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from .live import MOST_BODY, drawing_content, record_all
from .page import make_page, policy
from .presets import PRESETS

if TYPE_CHECKING:
    from .view import View

WAITING = 4  # requests that may wait for the one at work


class Refused(Exception):
    """A request that is not answered, with the reason."""

    def __init__(self, status: HTTPStatus, said: str):
        super().__init__(said)
        self.status = status


class Site(NamedTuple):
    """What a server shows and answers."""

    content: Callable[[], dict[str, Any]]  # of the page
    answers: dict[str, Callable[[Any], str]]  # JSON for what is asked, by path


class LabServer(ThreadingHTTPServer):
    """The server of `linsep lab`; ``address`` is where the browser goes."""

    daemon_threads = True

    def __init__(self, port: int = 0, site: Site | None = None):
        self.site = site or Site(drawing_content, {"/record": record_all})
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError:  # a busy port is not an error: take a free one
            super().__init__(("127.0.0.1", 0), Handler)
        self.token = secrets.token_urlsafe(18)
        self.port = int(self.server_address[1])
        self.places = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")}
        self.work, self.queue = threading.Lock(), threading.BoundedSemaphore(WAITING + 1)

    @property
    def address(self) -> str:
        """With the token, without which nothing is answered."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def warm_up(self) -> None:
        """Import and compile in the background what the first recording needs."""
        asked = {**PRESETS["XOR"], "rules": [{"rule": "perceptron"}]}
        threading.Thread(target=record_all, args=(asked,), daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is no news."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: LabServer
    server_version, sys_version = "linsep", ""
    timeout = 10  # seconds of silence

    def do_GET(self) -> None:
        """The page."""
        self._answer(self._page)

    def do_POST(self) -> None:
        """A recording, or the cells of a row."""
        self._answer(self._work)

    def _answer(self, make: Any) -> None:
        try:
            self._check()
            status = HTTPStatus.OK
            kind, body = make()
        except Refused as error:
            status, kind, body = error.status, *_said(str(error))
        except (ValueError, TypeError) as error:
            status, kind, body = HTTPStatus.BAD_REQUEST, *_said(" ".join(str(error).split())[:500])
        except (TimeoutError, ConnectionError):
            self.close_connection = True
            return
        except Exception:
            traceback.print_exc()
            status, kind, body = HTTPStatus.INTERNAL_SERVER_ERROR, *_said("A bug of linsep; the terminal says where.")
        self._send(status, kind, body)

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.close_connection = True  # a body that was refused is not read
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": f"{policy(connect=SELF)}; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    # --- who asks ----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Refuse requests of other pages, and of everyone without the token."""
        if self.headers.get("Host") not in self.server.places:
            raise Refused(HTTPStatus.FORBIDDEN, "This host is not the lab's: open the printed address.")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{place}" for place in self.server.places}:
            raise Refused(HTTPStatus.FORBIDDEN, "Requests of other pages are refused.")
        asked = parse_qs(urlsplit(self.path).query).get("token", [""])[0] if self.command == "GET" else ""
        token = asked or self.headers.get("X-Linsep-Token", "")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise Refused(HTTPStatus.FORBIDDEN, "The token is missing or wrong: open the printed address.")

    # --- what is answered --------------------------------------------------------------------------------------------

    def _page(self) -> tuple[str, bytes]:
        if urlsplit(self.path).path != "/":
            raise Refused(HTTPStatus.NOT_FOUND, "There is one page only.")
        content = self.server.site.content()
        live = {"address": next(iter(self.server.site.answers)), "token": self.server.token, **content.pop("live", {})}
        return "text/html; charset=utf-8", make_page({**content, "live": live}, connect=SELF).encode()

    def _work(self) -> tuple[str, bytes]:
        answers = self.server.site.answers
        if self.path not in answers or self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.NOT_FOUND, f"Expected JSON for {', '.join(answers)}.")
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdecimal() or len(size) > 18:
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "Expected the length of the request.")
        if int(size) > MOST_BODY:
            said = f"The request has {int(size)} bytes, more than {MOST_BODY}. Take fewer points."
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said)
        asked = _read_json(self.rfile.read(int(size)))
        if not self.server.queue.acquire(blocking=False):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests at once.")
        try:
            with self.server.work:
                return "application/json", answers[self.path](asked).encode()
        finally:
            self.server.queue.release()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the address of the page has the token in it."""


SELF = "'self'"


def _said(words: str) -> tuple[str, bytes]:
    return "application/json", json.dumps({"error": words}).encode()


def _read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("Expected JSON.") from None


def view_site(view: View) -> Site:
    """The page of a model and its rows."""
    return Site(lambda: {"view": view.content}, {"/row": lambda asked: json.dumps(view.cells(asked))})


def serve(server: LabServer) -> None:
    """Answer until Ctrl-C."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.shutdown()
        server.server_close()
