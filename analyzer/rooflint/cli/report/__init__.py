"""Parts of the commands that report predictions: loops to show, and commands to go on with."""
