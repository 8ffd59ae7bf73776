"""Backends that know the answer, or never try: for proving gates and scores."""
