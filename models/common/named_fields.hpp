// Fields of statistics as result.json has them: a struct of counters has a function report(f), which calls
// f(names, values...) in the order of the result. Fields are under their own names where nothing else is said.
#pragma once

/// "a, b", a, b: the names of the fields a and b, and their values, as arguments.
#define FLASHLOOM_NAMED(...) #__VA_ARGS__, __VA_ARGS__

/// Defines report() of a struct that reports only these fields.
#define FLASHLOOM_REPORT(...)        \
  template <class F>                 \
  void report(F&& f) const {         \
    f(FLASHLOOM_NAMED(__VA_ARGS__)); \
  }
