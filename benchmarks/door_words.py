"""Whether ``rooflint explain`` knows every term that the doors print, and sentences keep one unit.

    python benchmarks/door_words.py DIR|FILE... [--machine M] [--alone] [-D N=V]... [-- FLAGS]

The words of reports, pages, hints and hovers are collected by ``tests/door_words.py``, not listed.
Prints the terms that are not explained, and sentences with two units of time.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from door_agreement import Setting, doors_of
from rooflint.errors import UsageError
from rooflint.render.explanations import explanation
from rooflint.scenario.sizes import parse_size

from tests.door_words import page_terms, sentences_of, terms_of, time_units_in

SHOWN = 20


def is_explained(term: str) -> bool:
    """Whether ``rooflint explain`` has a text about a term."""
    try:
        explanation(term)
    except UsageError:
        return False
    return True


def main() -> int:
    """Prints what is missing; the exit code is 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--machine", default="skylake-sp-6148")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("-D", action="append", default=[], dest="sizes")
    words = sys.argv[1:]
    place = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:place])
    setting = Setting(given.machine, dict(map(parse_size, given.sizes)), tuple(words[place + 1 :]))
    terms: Counter[str] = Counter()
    mixed: dict[str, None] = {}
    for doors in doors_of(given.paths, setting, alone=given.alone):
        terms.update([*terms_of(doors), *page_terms(doors)])
        mixed |= {each: None for each in sentences_of(doors) if len(time_units_in(each)) > 1}
    unknown = [term for term in sorted(terms) if not is_explained(term)]
    for term in unknown:
        print(f"not explained: {term} ({terms[term]} times)")
    for sentence in list(mixed)[:SHOWN]:
        print(f"two units: {sentence.strip()}")
    print(f"{len(unknown)} of {len(terms)} terms are not explained")
    print(f"{len(mixed)} sentences have two units of time")
    return 1 if unknown or mixed else 0


if __name__ == "__main__":
    sys.exit(main())
