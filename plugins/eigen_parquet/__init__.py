"""Parquet, the form a dataset has on the Hub: rows of every kind, chats and tools as JSON values of their own."""
