"""Built-in models and rules; they come through the same door as anybody else's."""
