"""Built-in verifiers: state, checks, communicate and actions."""
