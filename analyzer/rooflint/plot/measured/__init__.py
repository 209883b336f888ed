"""Pictures of measurements: points beside the models' lines, over sizes and over cores."""
