"""The offline backend: actors played by code, for tests, load, bring-up and CI; their output is SIMULATED.

Every answer is a pure function of a request's typed inputs and of the names in its key, so forks, resumes and
episodes half played by a model work. Three conventions bind a domain that wants good dialogues from it:

- texts of a playbook may offer alternatives, `<Sure|Of course>`; the actor picks one by episode (`wording.py`);
- what a procedure yields after a `Refuse` is what a careless agent would do next, and only a careless one does it;
- a `Call` of a writing tool is made once; on a refusal the procedure decides how to go on.
"""
