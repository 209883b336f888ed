"""Variables, arrays and containers of the source as objects of the IR."""
