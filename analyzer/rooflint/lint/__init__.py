"""The lint: rules matched, guarded, priced by the models, and said where it is worth it."""
