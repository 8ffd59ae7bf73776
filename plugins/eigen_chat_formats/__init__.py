"""Chat formats of trainers: the OpenAI fine-tuning form, TRL's, and OpenRLHF's, one JSON object a line."""
