"""Whether the server in this container is well: `python -m server.healthy`, which ends with 0 or 1. Loads next to nothing.

Well is whoever answers: then the server's loop turns. That too many knock at this moment is an answer, and so is it to break
off, as a port that speaks TLS does with this.
"""

import os
import socket
import sys

WITHIN_S = 2.0


def main() -> int:
    try:
        with socket.create_connection(("127.0.0.1", int(os.environ["OVERSEER_PORT"])), WITHIN_S) as line:
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            line.recv(1)
    except (TimeoutError, ConnectionRefusedError):
        return 1
    except ConnectionError:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
