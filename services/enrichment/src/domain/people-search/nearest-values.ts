import { keyOfText } from './columns/dictionary.ts';

/** Values that are named as nearest. */
const nearestMax = 5;
/** The part of a value's letters that may differ in one that was meant. */
const differencesMax = 0.5;

/**
 * The known values that are nearest to one that is not known, nearest first: those that begin like it, that hold its
 * words, or that differ in few letters. Each known value comes with other words for it; the first one is answered.
 */
export function nearestValues(value: string, known: Iterable<readonly string[]>): readonly string[] {
  const asked = keyOfText(value);
  const nearest: { value: string; distance: number }[] = [];
  for (const words of known) {
    const farthest = nearest.length < nearestMax ? differencesMax : (nearest.at(-1)?.distance ?? 0);
    const distance = Math.min(...words.map(each => distanceOf(asked, keyOfText(each), farthest)));
    if (distance < farthest || (nearest.length < nearestMax && distance <= differencesMax)) {
      const place = nearest.findIndex(each => each.distance > distance);
      nearest.splice(place < 0 ? nearest.length : place, 0, { value: words[0] ?? '', distance });
      nearest.length = Math.min(nearest.length, nearestMax);
    }
  }
  return nearest.map(each => each.value);
}

/** From 0, the same, to 1, nothing in common; or infinite when it is farther than `farthest`. */
function distanceOf(asked: string, known: string, farthest: number): number {
  if (asked === known) {
    return 0;
  }
  if (asked.length >= 3 && (known.startsWith(asked) || ` ${known} `.includes(` ${asked} `))) {
    return 0.1;
  }
  if (known.length >= 3 && ` ${asked} `.includes(` ${known} `)) {
    return 0.2;
  }
  const length = Math.max(asked.length, known.length);
  const editsMax = Math.floor(farthest * length);
  const edits = editsBetween(asked, known, editsMax);
  return edits > editsMax ? Number.POSITIVE_INFINITY : edits / length;
}

/** Letters to put in, take out or replace (Levenshtein); more than `editsMax` where that is all one needs to know. */
function editsBetween(one: string, other: string, editsMax: number): number {
  if (Math.abs(one.length - other.length) > editsMax) {
    return editsMax + 1;
  }
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const edits = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(edits);
      least = Math.min(least, edits);
    }
    if (least > editsMax) {
      return editsMax + 1;
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
