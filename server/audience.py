"""One audience of a table on this node: where it stands, who listens here, and bytes made once for all of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from protocol import codec
from protocol.codec import Codec
from server.store.values import Place

if TYPE_CHECKING:
    from server.connection import Connection


class Frame:
    """A message as bytes, made once for each subprotocol it is asked in."""

    __slots__ = ("_others", "packed")

    def __init__(self, packed: bytes) -> None:
        self.packed = packed
        self._others: dict[Codec, codec.Frame] = {}

    @classmethod
    def of(cls, message: Any) -> "Frame":
        """From plain values."""
        packed = codec.MSGPACK.encode_plain(message)
        assert isinstance(packed, bytes)
        return cls(packed)

    def spoken(self, in_codec: Codec) -> codec.Frame:
        """As it goes over a socket of that subprotocol."""
        if in_codec is codec.MSGPACK:
            return self.packed
        if in_codec not in self._others:
            self._others[in_codec] = in_codec.transcode(self.packed)
        return self._others[in_codec]


class Audience:
    """`n` is the number of the last patch all its listeners have been sent; `rewound` the n at the last rewind."""

    def __init__(self, name: str, place: Place) -> None:
        self.name = name
        self.epoch = place.epoch
        self.n = place.n
        self.rewound = place.rewound
        self.connections: dict[Connection, None] = {}  # in the order in which they came

    def publish(self, patch: bytes) -> None:
        """The next patch, to everybody who listens here."""
        self.n += 1
        frame = Frame(patch)
        for connection in self.connections:
            connection.send_patch(frame)

    def check(self, crc: Callable[[], int]) -> None:
        """What a listener who has heard all until now should have. `crc` is only called where somebody asks for it."""
        asking = [connection for connection in self.connections if connection.minor >= 1]
        if asking:
            frame = Frame.of({"t": "check", "n": self.n, "crc": crc()})
            for connection in asking:
                connection.send(frame)

    def begin_anew(self, epoch: str, n: int = 0) -> None:
        """Another count begins: what was sent before does not lead to what comes, so all get a snapshot."""
        self.epoch, self.n, self.rewound = epoch, n, 0
        self.resend("epoch")

    def resend(self, reason: str) -> None:
        for connection in self.connections:
            connection.send_snapshot(reason)
