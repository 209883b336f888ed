"""Roofline plots of a report, as SVG that needs nothing but a viewer."""

from rooflint.plot.draw import draw, draw_compact, draw_floating
from rooflint.plot.scene import Scene, ScenePoint, SceneRoof
from rooflint.plot.svg import style
from rooflint.plugin_api.drawing import CeilingStep, RoofCeiling

__all__ = [
    "CeilingStep",
    "RoofCeiling",
    "Scene",
    "ScenePoint",
    "SceneRoof",
    "draw",
    "draw_compact",
    "draw_floating",
    "style",
]
