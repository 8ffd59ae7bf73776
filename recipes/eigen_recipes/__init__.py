"""Evolve and training recipes as data. There are none yet; the package makes their future home findable."""
