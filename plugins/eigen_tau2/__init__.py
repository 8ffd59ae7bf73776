"""The bridge to tau2-bench: its three official domains as worlds of ours, its tasks, splits and scoring."""
