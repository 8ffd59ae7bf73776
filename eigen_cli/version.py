"""The version of eigen: read here by the build, so that `eigen --version` imports no package metadata (40 ms)."""

VERSION = "0.1.0"
