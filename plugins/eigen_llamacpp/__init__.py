"""The local backend: a small model in this process, through llama.cpp, its replies held to a grammar."""
