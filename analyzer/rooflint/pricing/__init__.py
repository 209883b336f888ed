"""What a change of a nest is worth: the models run before and after it."""
