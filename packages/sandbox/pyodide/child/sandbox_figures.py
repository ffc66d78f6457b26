"""The backend that matplotlib is told to use: showing a figure hands it to the sandbox as a PNG."""

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas  # noqa: F401
from sandbox_runner import show_image


def show(*args, **kwargs):
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        png = io.BytesIO()
        pyplot.figure(number).savefig(png, format="png", bbox_inches="tight")
        show_image(png.getvalue())
    pyplot.close("all")
