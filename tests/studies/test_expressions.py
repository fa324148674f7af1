"""The language of studies."""
import unittest

import case  # noqa: F401  pylint: disable=unused-import  # finds the engine
from engine.expressions import Expression, ExpressionError, Template


def value(text, **values):
    return Expression(text).value(values)


class Expressions(unittest.TestCase):
    def test_arithmetic_follows_python(self):
        for text, expected in (("1 + 2 * 3", 7), ("-a ** 2", -9), ("8192 // (a * 4)", 682), ("7 % 4", 3), ("a / 2", 1.5),
                               ("1 if a > 2 else 2", 1), ("max(a, 5) - min(a, 5)", 2), ("log2(8)", 3), ("ceil(1.2)", 2),
                               ("1 < a < 4", True), ("1 < a < 2", False), ("a in [1, 3]", True), ("a not in (1, 3)", False),
                               ("a == 3 and 'x' == name", True), ("not a == 3 or name != 'x'", False)):
            self.assertEqual(value(text, a=3, name="x"), expected, text)

    def test_what_is_not_there_stays_so(self):
        for text in ("a + 1", "1 / a", "max(a, 1)", "-a", "row.x * 2", "1 / 0", "none.x"):
            self.assertIsNone(value(text, a=None, row={"x": None}, none=None), text)
        self.assertFalse(value("a > 1", a=None))
        self.assertTrue(value("a == 1 or 2 > 1", a=None))

    def test_names_are_known_before_values(self):
        expression = Expression("min(a, base.b) + bound('read', size)")
        self.assertEqual((expression.names, expression.fields, expression.functions),
                         ({"a", "size"}, {("base", "b")}, {"min", "bound"}))
        self.assertEqual(expression.value({"a": 5, "base": {"b": 3}, "size": 4}, {"bound": lambda kind, n: n}), 7)

    def test_nothing_but_the_language(self):
        for text in ("__import__('os')", "().__class__", "[x for x in a]", "lambda: 1", "a[0]", "f'{a}'", "a.b.c", "open('x')",
                     "min(*a)", "a := 1", "min(a, key=b)", "2 ** 100000", "1 +", "'x' * -'y'", "None"):
            with self.subTest(text=text), self.assertRaises(ExpressionError):
                value(text, a=[3])

    def test_templates(self):
        self.assertEqual(Template("{8192 // (c * w)} B, {{x}}").filled({"c": 2, "w": 4}), "1024 B, {x}")
        self.assertEqual(Template("{on} {half} {whole}").filled({"on": True, "half": 0.5, "whole": 4.0}), "true 0.5 4")
        self.assertEqual(Template("{'{ w = 1 }' if c else '}'}").filled({"c": True}), "{ w = 1 }")
        for text in ("{c", "c}", "{'}", "{}", "{c +}"):
            with self.assertRaises(ExpressionError):
                Template(text)


if __name__ == "__main__":
    unittest.main()
