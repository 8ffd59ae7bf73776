"""x"""
from __future__ import annotations
PLAYBOOK = None
