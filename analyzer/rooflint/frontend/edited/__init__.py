"""An edit of one function's body, answered from the last extraction of the file and a parse in
which the other bodies are blank."""
