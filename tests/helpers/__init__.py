"""What the tests build their tables and clients with."""
