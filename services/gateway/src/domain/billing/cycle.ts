/** A billing cycle: from its start up to, and not including, its end. */
export interface Cycle {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/**
 * The moment `months` calendar months after the anchor, in UTC. If that month is too short for the anchor's day, the
 * result is its last day. Later months are still counted from the anchor, so the 31st comes back.
 */
export function monthsAfter(anchor: Date, months: number): Date {
  const moment = new Date(anchor);
  moment.setUTCDate(1);
  moment.setUTCMonth(anchor.getUTCMonth() + months);
  moment.setUTCDate(Math.min(anchor.getUTCDate(), daysOfMonth(moment)));
  return moment;
}

/** The number of whole months from the anchor to a moment; negative before the anchor. */
export function monthsSince(anchor: Date, moment: Date): number {
  const months =
    (moment.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + moment.getUTCMonth() - anchor.getUTCMonth();
  return monthsAfter(anchor, months) > moment ? months - 1 : months;
}

/** The one-month cycle that contains a moment. */
export function cycleAt(anchor: Date, moment: Date): Cycle {
  const months = monthsSince(anchor, moment);
  return { startsAt: monthsAfter(anchor, months), endsAt: monthsAfter(anchor, months + 1) };
}

function daysOfMonth(moment: Date): number {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate();
}
