"""From generations to trainers: samples, what is selected of them, and how they are written."""
