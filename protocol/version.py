"""Which protocol this is, and the few numbers both ends must agree on. No message lives here."""

VERSION = 1
"""The one protocol version spoken today; HELLO lists those a client can speak."""

MINOR = 2
"""What has been added to it since, each time by one. HELLO and WELCOME say how far each side is; neither is sent what it
does not know, and both are served. 1: CHECK and DRIFT, snapshots for the reason "drift". 2: give_time; seats and invitations
over the wire, HELLO `see_as`, ACK `token`; the question `export`."""

MSGPACK = "overseer.v1.msgpack"
JSON = "overseer.v1.json"
SUBPROTOCOLS = (MSGPACK, JSON)
"""Names for Sec-WebSocket-Protocol, best first."""

PATH = "/ws"
"""Where the WebSocket lives, below whatever path a reverse proxy puts before it."""

HELLO_WITHIN_S = 5
HEARTBEAT_S = 20
"""How long a side may be silent before the client asks "are you there?"; twice as long and the connection is dead."""

IN_FLIGHT = 12
"""Commands a client may have open at once. Below 16, the answers a server remembers for each (seat, client)."""

# Bounds of what a client may send.
FRAME_BYTES = 64 * 1024
DEPTH = 12
TEXT = 2000
UNITS_TEXT = 20_000
"""Units written down, to be read by the server: fits into a frame in every script."""
NAME = 80
LIST = 100
ENTRIES = 10_000
"""Of a list or a map, beyond which it is not even made; the longest that could be meant has LIST."""
ID = 64
NUMBER = 10**9
TIME = 2**53 - 1
"""Times (ms), sequence numbers and positions: whole in every language, JavaScript's too."""

# Bounds of what a client accepts: a table of 300 units, with room.
SERVER_FRAME_BYTES = 16 * 1024 * 1024
SERVER_DEPTH = 24


def limits() -> dict[str, int]:
    """The bounds as WELCOME tells them."""
    return {
        "frame_bytes": FRAME_BYTES,
        "depth": DEPTH,
        "text": TEXT,
        "name": NAME,
        "list": LIST,
        "id": ID,
        "number": NUMBER,
        "in_flight": IN_FLIGHT,
    }
