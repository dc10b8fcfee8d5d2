"""The edge agent as one file for each kind of machine, by `make agent`.

In come the code that the agent imports (`modules.py`) and the packages that `requirements-agent.lock` pins,
as wheels for every Python that the file runs on (`wheels.py`); `packing.py` writes both into an archive that
begins with `start.py`. Decision 82 says why it is made like this.
"""
