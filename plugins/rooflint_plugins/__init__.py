"""Built-in models and rules, registered in the same way as those of third parties."""
