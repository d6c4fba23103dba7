#!/usr/bin/env python3
"""A grader command of elenchus: compares two formulas by algebra, with sympy.

Reads one line of JSON with question, answer, final_answer, reference and aliases,
and prints one line with verdict (correct, incorrect, undecided) and reason.

    [graders.sympy]
    command = ["/usr/bin/python3", "/home/me/sympy_grade.py"]
"""

import json
import re
import sys

import sympy
from sympy.parsing.sympy_parser import (
    convert_xor,
    implicit_multiplication,
    parse_expr,
    standard_transformations,
)

# What is longer is left undecided: simplifying it might take for ever.
LONGEST = 200
# The text comes from a model. sympy evaluates what it parses, so that only letters, digits and signs
# of arithmetic go in, no name longer than a letter but those of functions, and no attribute.
ALLOWED = re.compile(r"[A-Za-z0-9+\-*/^().,= ]*")
FUNCTIONS = {"sqrt", "sin", "cos", "tan", "log", "ln", "exp", "pi"}
RULES = standard_transformations + (convert_xor, implicit_multiplication)


def plain(text):
    """Turns simple LaTeX into what sympy parses."""
    text = text.strip().strip("$").strip()
    text = re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", text)
    text = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", text)
    text = re.sub(r"\\(sin|cos|tan|log|ln|exp)", r"\1", text)
    for name, to in (("\\cdot", "*"), ("\\times", "*"), ("\\left", ""), ("\\right", ""), ("\\pi", "pi")):
        text = text.replace(name, to)
    return text.replace("{", "(").replace("}", ")")


def parse(text):
    """Returns a formula, or None for what is none that may be parsed."""
    text = plain(text)
    if not text or len(text) > LONGEST or not ALLOWED.fullmatch(text):
        return None
    # No attributes, no long numbers, no towers of powers.
    if re.search(r"\.\s*[A-Za-z]|[A-Za-z)]\s*\.|\d{13}|(\^|\*\*)\s*\(?\d{3}", text):
        return None
    if re.search(r"\^[^+\-*/,]*\^", text) or text.count("^") + text.count("**") > 4:
        return None
    names = re.findall(r"[A-Za-z]+", text)
    if any(len(name) > 1 and name not in FUNCTIONS for name in names):
        return None
    symbols = {name: sympy.Symbol(name) for name in names if len(name) == 1}
    known = {name: getattr(sympy, name) for name in FUNCTIONS}
    if text.count("=") == 1:
        text = text.split("=")[1]
    try:
        return parse_expr(text, local_dict={**known, **symbols}, transformations=RULES)
    except Exception:
        return None


def grade(task):
    answer = parse(task["final_answer"] or task["answer"])
    if answer is None:
        return "undecided", "the answer is no formula that can be parsed"
    decided = False
    for reference in [task["reference"], *task["aliases"]]:
        reference = parse(reference)
        if reference is None:
            continue
        difference = sympy.simplify(answer - reference)
        if difference == 0:
            return "correct", f"{answer} equals {reference}"
        # Two formulas that differ at a point are not equal.
        symbols = sorted(difference.free_symbols, key=str)
        point = {symbol: sympy.Rational(7 + 2 * place, 5) for place, symbol in enumerate(symbols)}
        value = difference.subs(point).evalf()
        decided = decided or (value.is_number and abs(value) > 1e-9)
    if decided:
        return "incorrect", f"{answer} differs from the reference"
    return "undecided", "the difference could not be simplified"


if __name__ == "__main__":
    verdict, reason = grade(json.loads(sys.stdin.readline()))
    print(json.dumps({"verdict": verdict, "reason": reason}))
