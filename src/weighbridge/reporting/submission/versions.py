"""Which batches of reports were made by versions of models that their methodologies name.

Invariant: a methodology that names no versions of a model takes any of it.
"""

from typing import Final, LiteralString

IS_OF_NAMED_VERSION: Final[LiteralString] = """
    EXISTS (SELECT FROM methodology_models i JOIN models named ON named.id = i.model_id
             WHERE i.methodology_id = methodology.id AND named.family_id = m.family_id
               AND (i.versions = '{}' OR m.version = ANY (i.versions)))
"""
"""Whether the model version `m` implements the `methodology`."""

OF_OTHER_VERSIONS: Final[LiteralString] = f"""
    SELECT i.report_id, i.batch_id
      FROM unnest(%(projects)s::integer[], %(reports)s::bigint[]) AS named (project_id, report_id)
      JOIN report_batches i ON (i.project_id, i.report_id) = (named.project_id, named.report_id)
      JOIN reports r ON (r.project_id, r.id) = (i.project_id, i.report_id)
      JOIN methodologies methodology ON methodology.id = r.methodology_id
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      LEFT JOIN models m ON m.id = b.model_id
     WHERE NOT {IS_OF_NAMED_VERSION}
       AND EXISTS (SELECT FROM methodology_models i
                    WHERE i.methodology_id = methodology.id AND i.versions <> '{{}}')
"""
"""The batches of some reports that no version made that their methodologies name, if these name any."""
