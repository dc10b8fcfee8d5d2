"""What is claimed: runs of models over collected data, batches, ledgers, and draws between them.

Collected measurements and versions of models come in; batches with their lineage, and entries on ledgers, go
out. Each folder below imports only from those that stand after it:

- `batch_generations`, `batches`, `ledgers`, `statements`, `instruments`, `model_runs`,
  `version_comparisons`: the nouns, what a caller can name;
- `posting`: writes what was proposed, and undoes it;
- `planning`: proposes what a generation would post, and writes nothing;
- `drawing`: what runs may take from other ledgers, by rule or by hand;
- `counting`: what counts an event, over the slots of several versions;
- `inputs`: what a model reads, and `tracing`: what a batch was made of;
- `books`: what has been posted, and how the rest of the area names and reads it.

Start with `planning/propose.py` and `batch_generations/tasks.py`: a generation is there in two pages.
"""
