"""Holds a database server that must not outlive Overseer, on systems without a parent-death signal (macOS).

Run as a script, with only the standard library. stdin: the length of the configuration, the configuration, and then
nothing until it closes, which it does when Overseer ends, however it ends. That stops the server.
"""

import os
import signal
import subprocess
import sys
import threading


def main() -> None:
    config = sys.stdin.buffer.read(int(sys.stdin.buffer.readline()))
    # The lock of the data directory came to us as an open file; the server gets it too.
    server = subprocess.Popen([sys.argv[1], "-"], stdin=subprocess.PIPE, close_fds=False)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    assert server.stdin
    server.stdin.write(config)
    server.stdin.close()

    def end_with_parent() -> None:
        sys.stdin.buffer.read()
        server.terminate()

    threading.Thread(target=end_with_parent, daemon=True).start()
    # os._exit: a normal exit would wait for the lock of stdin, which the thread holds.
    os._exit(abs(server.wait()))


if __name__ == "__main__":
    main()
