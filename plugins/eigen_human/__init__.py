"""The human backend: a person at the terminal plays a role."""
