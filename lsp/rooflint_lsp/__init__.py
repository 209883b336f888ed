"""The language server: the analysis in an editor, as hints, findings, hovers and edits."""
