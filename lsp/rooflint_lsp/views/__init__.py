"""Parts of a report as an editor shows them: hints, hovers, diagnostics, code actions, status."""
