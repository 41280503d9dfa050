"""A client that stops in the middle of a request gets no answer but its own."""

from __future__ import annotations

import contextlib
import json
import socket
from http.client import HTTPResponse

from .accounts import USER, authorization
from .product import Product, reservation

UPLOADS = 150
"""More than a breaker's window holds."""

PATIENCE_S = 120


def test_half_sent_requests_fail_nobody_else(product: Product) -> None:
    host, port = product.address
    head = (
        f"POST {product.make_path('cineworld')} HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Authorization: {authorization(USER)}\r\n"
        "Content-Type: application/json\r\nContent-Length: 300\r\n\r\n"
    )
    with contextlib.ExitStack() as uploads:
        half_sent = [
            uploads.enter_context(socket.create_connection(product.address, PATIENCE_S))
            for _ in range(UPLOADS)
        ]
        for upload in half_sent:
            upload.sendall(head.encode() + b'{"clientName":')
        for upload in half_sent:
            answer = HTTPResponse(upload)
            answer.begin()
            content = json.loads(answer.read())
            assert (answer.status, content["type"]) == (408, "urn:testbed:problem:request-timeout")

    for _ in range(30):
        assert product.reserve("cineworld", json=reservation()).status_code == product.made
