"""The vllm backend: attaches to a running vLLM server, or starts and supervises one for the length of a command."""
