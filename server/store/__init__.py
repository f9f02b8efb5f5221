"""The authoritative state of every table, kept in Redis or Valkey: bytes in, bytes out.

Nothing here knows a rule of the game or a word of the wire protocol.
"""
