"""A real S3-speaking server on 127.0.0.1 for tests: moto behind a gate that counts requests and can refuse them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from moto.server import create_backend_app  # type: ignore[import-untyped]
from pyarrow import fs
from werkzeug.serving import make_server

Refusal = tuple[int, str]  # HTTP status and S3's error code
BUCKET = "corpus"


@dataclass(frozen=True, slots=True)
class Request:
    """One request that came in: `path` begins with the bucket; `bytes` is what a ranged GET asks for."""

    method: str
    path: str
    query: str
    bytes: int


class S3Server:
    """Runs in a thread of this process until `stop`; `refuse` decides about each request, None lets it through."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._app = create_backend_app("s3")
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.refuse: Callable[[Request], Refusal | None] = lambda request: None
        self.requests: list[Request] = []
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def options(self) -> str:
        """Give the query of a URI that leads here."""
        return f"endpoint_override=127.0.0.1:{self._server.server_port}&region=us-east-1&scheme=http"

    def uri(self, path: str) -> str:
        """Give the URI of a path in the bucket."""
        return f"s3://{BUCKET}/{path}?{self.options}"

    def reset(self) -> None:
        """Empty the bucket, forget all requests and let everything through."""
        self.refuse = lambda request: None
        there = self._there()
        there.create_dir(BUCKET)
        there.delete_dir_contents(BUCKET, accept_root_dir=True)
        self.requests.clear()

    def put(self, path: str, content: bytes) -> None:
        """Store an object."""
        with self._there().open_output_stream(f"{BUCKET}/{path}", compression=None) as out:
            out.write(content)

    def put_folder(self, path: str, folder: Path) -> None:
        """Store all files below a folder."""
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.put(f"{path}/{file.relative_to(folder).as_posix()}", file.read_bytes())

    def put_raw(self, key: str, content: bytes) -> None:
        """Store an object under a key that pyarrow would refuse to write."""
        connection = HTTPConnection("127.0.0.1", self._server.server_port)
        connection.request("PUT", f"/{BUCKET}/{quote(key)}", content)
        connection.getresponse().read()
        connection.close()

    def _there(self) -> fs.FileSystem:
        return fs.FileSystem.from_uri(f"s3://{BUCKET}?{self.options}&allow_bucket_creation=true")[0]

    def fetched(self, path: str) -> list[int]:
        """Give the sizes of the ranges of an object that were asked for."""
        return [r.bytes for r in self.requests if r.method == "GET" and r.path == f"/{BUCKET}/{path}"]

    def stop(self) -> None:
        """Stop; later connections are refused."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        first, _, last = environ.get("HTTP_RANGE", "bytes=0--1").removeprefix("bytes=").partition("-")
        size = int(last) - int(first) + 1
        request = Request(environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", ""), size)
        self.requests.append(request)
        refusal = self.refuse(request)
        if refusal is None:
            answer: Iterable[bytes] = self._app(environ, start)
            return answer
        status, code = refusal
        body = f"<Error><Code>{code}</Code><Message>{code} by order of the test</Message></Error>".encode()
        start(f"{status} {code}", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [b"" if request.method == "HEAD" else body]
