"""Compares made results with recorded ones: compare.py RECORDED MADE.

Numbers may differ in their last digits, as versions of a library do; what a case was made with is
no result.
"""

import json
import math
import sys

RELATIVE, ABSOLUTE = 1e-9, 1e-12


def differences(at, recorded, made):
    if isinstance(recorded, dict) and isinstance(made, dict):
        for name in sorted(recorded.keys() | made.keys()):
            if name != "made_with":
                yield from differences(f"{at}/{name}", recorded.get(name), made.get(name))
    elif isinstance(recorded, list) and isinstance(made, list) and len(recorded) == len(made):
        for index, pair in enumerate(zip(recorded, made)):
            yield from differences(f"{at}/{index}", *pair)
    elif isinstance(recorded, float) and isinstance(made, (int, float)):
        if not math.isclose(recorded, made, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
            yield f"{at}: recorded {recorded}, made {made}"
    elif recorded != made:
        yield f"{at}: recorded {recorded}, made {made}"


recorded, made = (json.load(open(path)) for path in sys.argv[1:3])
found = list(differences("", recorded, made))
print(f"{sys.argv[1]}: {len(found)} differences")
sys.exit("\n".join(found[:20]) if found else 0)
