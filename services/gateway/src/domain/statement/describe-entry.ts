import type { EntryKind } from '@mailproof/shared-types';
import type { LedgerEntry } from './statement-port.ts';

type Movement = Pick<LedgerEntry, 'kind' | 'availableChange' | 'heldChange' | 'cause' | 'refundId'>;

/** Says what an entry did, in words for whoever pays. */
export function describeEntry(entry: Movement): string {
  return descriptions[entry.kind](entry);
}

/** What a hold's end leaves: its credits leave `held`, and those that are not `available` again are gone. */
const gone = ({ availableChange, heldChange }: Movement): number => -heldChange - availableChange;

const descriptions: Readonly<Record<EntryKind, (entry: Movement) => string>> = {
  grant: ({ availableChange, refundId }) =>
    refundId === null ? `${credits(availableChange)} added` : `${credits(availableChange)} refunded`,
  hold: ({ heldChange }) => `${credits(heldChange)} set aside for work under way`,
  settle: entry => `${credits(gone(entry))} spent, ${Math.max(0, entry.availableChange)} returned`,
  release: entry => `${credits(entry.availableChange)} set aside and not needed came back`,
  expire: entry => `${credits(entry.availableChange)} set aside for work that did not end in time came back`,
  expire_credits: ({ availableChange, cause }) =>
    cause === accountDeletion
      ? `${credits(-availableChange)} expired, because the account was deleted`
      : `${credits(-availableChange)} expired`,
};

/** The cause of entries that a deletion makes. */
const accountDeletion = 'delete-account';

function credits(count: number): string {
  return count === 1 ? '1 credit' : `${count} credits`;
}
