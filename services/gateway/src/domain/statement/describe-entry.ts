import type { EntryKind } from '@mailproof/shared-types';
import type { LedgerEntry } from './statement-port.ts';

type Movement = Pick<LedgerEntry, 'kind' | 'availableChange' | 'heldChange' | 'cause' | 'refundId'>;

/** Describes in the customer's terms what an entry did. */
export function describeEntry(entry: Movement): string {
  return descriptions[entry.kind](entry);
}

/** Credits lost when a hold ends: they leave `held` and do not become `available` again. */
const gone = ({ availableChange, heldChange }: Movement): number => -heldChange - availableChange;

const descriptions: Readonly<Record<EntryKind, (entry: Movement) => string>> = {
  grant: ({ availableChange, refundId }) =>
    refundId === null ? `${credits(availableChange)} added` : `${credits(availableChange)} refunded`,
  hold: ({ heldChange }) => `${credits(heldChange)} reserved`,
  settle: entry => `${credits(gone(entry))} spent, ${formatted(Math.max(0, entry.availableChange))} returned`,
  release: entry => `${credits(entry.availableChange)} returned unused`,
  expire: entry => `${credits(entry.availableChange)} returned because the work did not finish in time`,
  expire_credits: ({ availableChange, cause }) =>
    cause === accountDeletion
      ? `${credits(-availableChange)} expired when the account was deleted`
      : `${credits(-availableChange)} expired`,
};

/** The cause of entries made by an account deletion. */
const accountDeletion = 'delete-account';

function credits(count: number): string {
  return count === 1 ? '1 credit' : `${formatted(count)} credits`;
}

function formatted(count: number): string {
  return count.toLocaleString('en');
}
