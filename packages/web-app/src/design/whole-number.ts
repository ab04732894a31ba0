/** The number that somebody has typed, `1,200` or `1200`; undefined where it is none from 1 to the most that may be. */
export function wholeNumber(text: string, max: number): number | undefined {
  const digits = text.replace(/[\s,]/g, '');
  const number = /^\d+$/.test(digits) ? Number(digits) : 0;
  return number >= 1 && number <= max ? number : undefined;
}
