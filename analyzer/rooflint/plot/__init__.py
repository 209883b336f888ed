"""Roofline plots of a report, as SVG that needs nothing but a viewer."""

from rooflint.plot.draw import draw, draw_compact
from rooflint.plot.scene import Scene, ScenePoint, SceneRoof
from rooflint.plot.svg import style
from rooflint.plugin_api.drawing import Climbed, Line

__all__ = ["Climbed", "Line", "Scene", "ScenePoint", "SceneRoof", "draw", "draw_compact", "style"]
