import { countOf, formatCredits, formatNumber } from '../../design/format.ts';
import type { Run } from '../work-states.ts';

/** The words for what runs of each kind deliver. */
export const runWords = {
  people: { one: 'person', many: 'people', doing: 'Saving', done: 'saved' },
  companies: { one: 'company', many: 'companies', doing: 'Saving', done: 'saved' },
  lookalikes: { one: 'company', many: 'companies', doing: 'Fetching', done: 'fetched' },
} as const satisfies Record<Run['kind'], object>;

/** `12 of 50 people saved.` */
export function progressSentence(run: Pick<Run, 'kind' | 'state' | 'delivered' | 'requested'>): string {
  const { one, many, done } = runWords[run.kind];
  const all = countOf(run.requested, one, many);
  return run.state === 'queued' ? `${all} queued.` : `${formatNumber(run.delivered)} of ${all} ${done}.`;
}

/** `50 people saved for 50 credits` */
export function outcomeOf({ kind, delivered, spent }: Pick<Run, 'kind' | 'delivered' | 'spent'>): string {
  const { one, many, done } = runWords[kind];
  return `${countOf(delivered, one, many)} ${done} for ${formatCredits(spent ?? 0)}`;
}
