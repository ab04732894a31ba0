import type { Schema } from '../../api/client.ts';
import { countOf, formatCredits, formatDay, formatNumber } from '../../design/format.ts';

export type AccountPlan = Schema['AccountPlan'];
export type Plan = Schema['Plan'];

/** Whether going from one plan to the other is more; the API counts in the order in which plans are offered. */
export function isUpgrade(from: Plan, to: Plan): boolean {
  return to.credits_per_cycle > from.credits_per_cycle;
}

/** What a plan brings, each in a few words, with whether it is there at all. */
export function planFacts(plan: Plan): readonly { readonly words: string; readonly isThere: boolean }[] {
  return [
    { words: `${formatCredits(plan.credits_per_cycle)} a month`, isThere: plan.credits_per_cycle > 0 },
    { words: plan.api_access ? 'API key and assistants' : 'No API key', isThere: plan.api_access },
    { words: `${countOf(plan.requests_per_second, 'request')} a second`, isThere: true },
    { words: countOf(plan.members_max, 'member'), isThere: true },
  ];
}

/** When a change of plan happens, and what it does, one sentence each (ADR 0022). */
export function changeSentences(current: AccountPlan, to: Plan): readonly string[] {
  const { plan: from, cycle } = current;
  const ends = cycle ? formatDay(cycle.ends_at) : 'the end of your billing cycle';
  if (isUpgrade(from, to)) {
    return [
      `It begins as soon as its payment is confirmed; until then ${from.title} goes on.`,
      `A new billing cycle begins with it, and brings ${formatCredits(to.credits_per_cycle)}.`,
      `Credits that you have now stay good until ${ends}.`,
      ...(to.api_access && !from.api_access ? ['An API key is made for you.'] : []),
    ];
  }
  return [
    `${from.title} goes on until ${ends}: nothing changes before.`,
    `From then on each billing cycle brings ${formatCredits(to.credits_per_cycle)}.`,
    ...(from.api_access && !to.api_access
      ? [
          'Your API key, and assistants that use it, stop working then. The same key works again on a plan that has one.',
        ]
      : []),
    ...(to.members_max < from.members_max
      ? [
          `Members who are here stay; nobody can join while there are ${formatNumber(to.members_max)} or more.`,
        ]
      : []),
  ];
}

/** How far a billing cycle has come, between 0 and 1. */
export function cycleShare(
  cycle: { readonly starts_at: string; readonly ends_at: string },
  now: Date,
): number {
  const from = Date.parse(cycle.starts_at);
  const to = Date.parse(cycle.ends_at);
  return to > from ? Math.min(1, Math.max(0, (now.getTime() - from) / (to - from))) : 1;
}
