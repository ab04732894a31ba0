import type { Schema } from '../../api/client.ts';
import { countOf, formatCredits, formatDay, formatNumber } from '../../design/format.ts';

export type AccountPlan = Schema['AccountPlan'];
export type Plan = Schema['Plan'];

/** Whether a plan change is an upgrade. The API decides by the order in which plans are offered. */
export function isUpgrade(from: Plan, to: Plan): boolean {
  return to.credits_per_cycle > from.credits_per_cycle;
}

/** Describes the features of a plan in a few words each, and whether the plan includes them. */
export function planFacts(plan: Plan): readonly { readonly words: string; readonly isThere: boolean }[] {
  return [
    { words: `${formatCredits(plan.credits_per_cycle)} per month`, isThere: plan.credits_per_cycle > 0 },
    { words: plan.api_access ? 'API key and assistants' : 'No API key', isThere: plan.api_access },
    { words: `${countOf(plan.requests_per_second, 'request')} per second`, isThere: true },
    { words: countOf(plan.members_max, 'member'), isThere: true },
  ];
}

/** Explains when a plan change takes effect and what it does, one sentence each (ADR 0022). */
export function changeSentences(current: AccountPlan, to: Plan): readonly string[] {
  const { plan: from, cycle } = current;
  const ends = cycle ? formatDay(cycle.ends_at) : 'the end of your billing cycle';
  if (isUpgrade(from, to)) {
    return [
      `It starts when your payment is confirmed; until then you stay on ${from.title}.`,
      `A new billing cycle starts with ${formatCredits(to.credits_per_cycle)}.`,
      `Your current credits stay valid until ${ends}.`,
      ...(to.api_access && !from.api_access ? ['An API key is generated for you.'] : []),
    ];
  }
  return [
    `You stay on ${from.title} until ${ends}.`,
    `After that, each billing cycle includes ${formatCredits(to.credits_per_cycle)}.`,
    ...(from.api_access && !to.api_access
      ? ['Your API key and assistants then stop working. The same key works again on a plan with API access.']
      : []),
    ...(to.members_max < from.members_max
      ? [`Current members stay; no one can join while you have ${formatNumber(to.members_max)} or more.`]
      : []),
  ];
}

/** Returns the elapsed share of a billing cycle, between 0 and 1. */
export function cycleShare(
  cycle: { readonly starts_at: string; readonly ends_at: string },
  now: Date,
): number {
  const from = Date.parse(cycle.starts_at);
  const to = Date.parse(cycle.ends_at);
  return to > from ? Math.min(1, Math.max(0, (now.getTime() - from) / (to - from))) : 1;
}
