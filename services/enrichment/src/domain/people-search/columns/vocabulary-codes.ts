/** The codes of a fixed vocabulary: its order, counted from 1. */
export function codesOf(vocabulary: readonly string[]): ReadonlyMap<string, number> {
  return new Map(vocabulary.map((value, index) => [value, index + 1]));
}
