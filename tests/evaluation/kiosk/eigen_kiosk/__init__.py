"""Another group's benchmark: tasks of its own, two ways of scoring, statements for a judge, and scripted actors."""
