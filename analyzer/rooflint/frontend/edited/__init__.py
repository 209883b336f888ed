"""An edit of one function's body, or of macros and types that nothing names: answered from the last
extraction of the file and a parse in which the other bodies are blank."""
