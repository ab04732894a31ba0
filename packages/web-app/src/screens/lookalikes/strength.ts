/** Match strength as people read it: of 100. */
export function outOfHundred(strength: number): number {
  return Math.round(strength * 100);
}

/** The same in words; the borders are those by which matches are counted. */
export function strengthWords(strength: number): string {
  if (strength >= 0.8) return 'Very close';
  if (strength >= 0.6) return 'Close';
  if (strength >= 0.4) return 'Fair';
  if (strength >= 0.2) return 'Loose';
  return 'Faint';
}

interface AtLeast {
  readonly match_strength_from: number;
  readonly companies: number;
}

/** Counts of "at least so strong" as counts of what lies between two borders, the strongest first. */
export function bandsOf(counts: readonly AtLeast[]): { from: number; to: number; companies: number }[] {
  const falling = [...counts].sort((one, other) => other.match_strength_from - one.match_strength_from);
  return falling.map(({ match_strength_from, companies }, index) => ({
    from: match_strength_from,
    to: falling[index - 1]?.match_strength_from ?? 1,
    companies: companies - (falling[index - 1]?.companies ?? 0),
  }));
}
