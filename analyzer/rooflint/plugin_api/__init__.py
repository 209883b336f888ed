"""The contract with plugins: what models, rules and renderers receive and return."""
