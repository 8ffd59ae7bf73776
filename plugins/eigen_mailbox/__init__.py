"""The mailbox backend: requests and answers are files, so that any model or person who can read and write files can
play any role.
"""
