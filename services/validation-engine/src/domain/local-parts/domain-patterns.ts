import { type NamePattern, namePatternShares, namePatterns } from '@mailproof/shared-types/local-parts';
import type { PatternClass } from '../outcomes/pattern-class.ts';

/**
 * How many addresses of a domain have a pattern, from any source: outcomes tell only the shape of a local part, and a
 * source that knows the name next to an address tells the pattern itself.
 */
export interface PatternCount {
  readonly pattern: NamePattern | PatternClass;
  /** Addresses that are known to exist. */
  readonly good: number;
  /** Addresses that are known not to exist. */
  readonly bad: number;
}

/** The shape of the local parts that a pattern makes, of names with one word each. */
const shapeOf: Readonly<Record<NamePattern, PatternClass>> = {
  'first.last': 'word.word',
  first_last: 'word_word',
  'first-last': 'word-word',
  firstlast: 'word',
  'f.last': 'initial.word',
  f_last: 'initial_word',
  'f-last': 'initial-word',
  flast: 'word',
  'first.l': 'word.initial',
  first_l: 'word_initial',
  'first-l': 'word-initial',
  firstl: 'word',
  'last.first': 'word.word',
  last_first: 'word_word',
  'last-first': 'word-word',
  lastfirst: 'word',
  'last.f': 'word.initial',
  last_f: 'word_initial',
  'last-f': 'word-initial',
  lastf: 'word',
  'first.m.last': 'several_words',
  'f.m.last': 'several_words',
  fmlast: 'word',
  first: 'word',
  last: 'word',
};

/** How many addresses of a pattern must be good, as far as their shapes tell. */
const goodMin = 1.5;
/** The share of addresses of a pattern that must be good. */
const goodShareMin = 0.8;
/** The share of a domain's good addresses that a pattern must have; a domain may have two or three patterns. */
const usedShareMin = 0.25;
/** How sure the pattern must be where its shape is that of several patterns. */
const certainMin = 0.8;
/** How many addresses the published shares of patterns count as. */
const priorStrength = 2;

/**
 * The patterns that a domain is known to use. A shape counts for its patterns by their shares, those of the domain's own
 * named addresses and the published ones. So `word.word` confirms `first.last`, since hardly any domain writes the last
 * name first, while `word` confirms none of `flast`, `first` and the like until names tell.
 */
export function confirmedPatterns(counts: readonly PatternCount[]): ReadonlySet<NamePattern> {
  const ofPattern = new Map<string, { good: number; bad: number }>();
  for (const { pattern, good, bad } of counts) {
    const known = ofPattern.get(pattern) ?? { good: 0, bad: 0 };
    ofPattern.set(pattern, { good: known.good + good, bad: known.bad + bad });
  }
  const named = (pattern: NamePattern) => ofPattern.get(pattern) ?? { good: 0, bad: 0 };
  const weightOf = (pattern: NamePattern) => named(pattern).good + priorStrength * namePatternShares[pattern];
  const learned = namePatterns.map(pattern => {
    const shape = shapeOf[pattern];
    const alike = namePatterns.filter(other => shapeOf[other] === shape);
    const part = weightOf(pattern) / alike.reduce((sum, other) => sum + weightOf(other), 0);
    const shaped = ofPattern.get(shape) ?? { good: 0, bad: 0 };
    const good = named(pattern).good + shaped.good * part;
    const bad = named(pattern).bad + shaped.bad * part;
    return { pattern, good, bad, isCertain: part >= certainMin };
  });
  const allGood = learned.reduce((sum, { good }) => sum + good, 0);
  return new Set(
    learned
      .filter(
        ({ good, bad, isCertain }) =>
          isCertain &&
          good >= goodMin &&
          good / (good + bad) >= goodShareMin &&
          good / allGood >= usedShareMin,
      )
      .map(({ pattern }) => pattern),
  );
}
