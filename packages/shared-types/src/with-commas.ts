/**
 * Writes a whole number as in English text, such as `50,000`. Contracts use it because `toLocaleString` makes a process
 * load Node's data about languages, which would take 5 to 7 MiB in every service.
 */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
