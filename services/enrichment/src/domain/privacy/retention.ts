const dayMs = 86_400_000;

/** Days for which it is kept what records said before, counted from the change. */
export const historyDays = 365;

/** Days for which removals stay noted for copies in memory, which are made anew long before. */
export const removalDays = 30;

/** Days for which it is kept what was done for privacy's sake. */
export const privacyEventDays = 1_095;

/** People who were first loaded before this moment are not kept any longer, whatever has confirmed them since. */
export function firstLoadedBefore(retentionDays: number, now: Date): Date {
  return daysBefore(retentionDays, now);
}

export function daysBefore(days: number, now: Date): Date {
  return new Date(now.getTime() - days * dayMs);
}

/**
 * Whether what a source said on a day is older than people may be kept. So nobody whose time is over comes back out of
 * the same old file.
 */
export function isTooOld(retrievedOn: string, retentionDays: number, now: Date): boolean {
  return Date.parse(`${retrievedOn}T00:00:00Z`) < daysBefore(retentionDays, now).getTime();
}
