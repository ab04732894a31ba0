/** Whether a text is exactly how JavaScript and a spreadsheet write a number, such as `-1.5`; `007` and `1.50` are not. */
export function isPlainNumber(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && String(value) === text;
}
