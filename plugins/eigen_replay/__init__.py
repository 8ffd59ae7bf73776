"""The replay backend: a recorded cassette answers, without a server."""
