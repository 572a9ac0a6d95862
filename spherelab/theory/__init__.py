"""The statements of the theory, one topic a module, each a tuple ``CLAIMS`` of frozen claims.

``families`` names the exact families of pairs on which bounds are checked. Nobody types a bound
again: ``verify`` prints these claims, the tests assert them over their domains, figures draw them.
"""
