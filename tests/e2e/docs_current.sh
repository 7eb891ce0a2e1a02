#!/bin/bash
# docs/ops.md, docs/passes.md and docs/cli.md are what the tables of the tool say.
exec "$TN_SRC/scripts/make_docs" --check
