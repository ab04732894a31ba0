/**
 * Makes one word of singular and plural. Stems that cut deeper join words that tell industries apart ("organic" and
 * "organisation"), and could not be shown as they are.
 */
export function lightStem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) {
    return `${word.slice(0, -3)}y`;
  }
  if (word.length > 4 && word.endsWith('sses')) {
    return word.slice(0, -2);
  }
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) {
    return word.slice(0, -1);
  }
  return word;
}
