"""The theory of contrastive learning on the unit sphere, as code that can be checked.

Throughout, d is the ambient dimension: the sphere is S^(d-1) in R^d, and nu = d/2 - 1.

Importing this package imports nothing else: take the modules that you need by name, for example
``from spherelab import laws, pairs, population``.
"""

__version__ = "0.1.0"
