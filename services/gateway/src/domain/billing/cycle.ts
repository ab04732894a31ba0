/** A billing cycle: from its start up to, and not including, its end. */
export interface Cycle {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/**
 * The moment `months` calendar months after the anchor, in UTC. Where that month is too short for the anchor's day, it
 * is the month's last day; the months after it are counted from the anchor again, so that the 31st comes back.
 */
export function monthsAfter(anchor: Date, months: number): Date {
  const moment = new Date(anchor);
  moment.setUTCDate(1);
  moment.setUTCMonth(anchor.getUTCMonth() + months);
  moment.setUTCDate(Math.min(anchor.getUTCDate(), daysOfMonth(moment)));
  return moment;
}

/** How many whole months lie between the anchor and a moment; negative before the anchor. */
export function monthsSince(anchor: Date, moment: Date): number {
  const months =
    (moment.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + moment.getUTCMonth() - anchor.getUTCMonth();
  return monthsAfter(anchor, months) > moment ? months - 1 : months;
}

/** The cycle of one month that holds a moment. */
export function cycleAt(anchor: Date, moment: Date): Cycle {
  const months = monthsSince(anchor, moment);
  return { startsAt: monthsAfter(anchor, months), endsAt: monthsAfter(anchor, months + 1) };
}

function daysOfMonth(moment: Date): number {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate();
}
