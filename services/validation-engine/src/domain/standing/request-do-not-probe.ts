import type { DoNotProbeRecorded } from '@mailproof/shared-types';
import { getDomain } from 'tldts';
import type { Deadline } from '../concurrency/deadline.ts';
import type { EvidenceDns } from '../dns/mail-dns.ts';
import type { DoNotProbeEntry, DoNotProbeList, DoNotProbeStore } from './do-not-probe.ts';

export interface DoNotProbeRequestPorts {
  readonly store: Pick<DoNotProbeStore, 'add'>;
  readonly list: DoNotProbeList;
  /** Must have no cache, or a record published a minute ago would not be found. */
  readonly dns: Pick<EvidenceDns, 'resolveText'>;
  /** A keyed hash: the proof of an entry cannot be predicted. */
  readonly hashOf: (text: string) => string;
  readonly events: { doNotProbeListed(entry: DoNotProbeEntry): void };
}

export type DoNotProbeOutcome =
  | { readonly kind: 'recorded'; readonly recorded: DoNotProbeRecorded }
  /** No one can prove that they own the name. */
  | { readonly kind: 'not_registrable' };

const recordLabel = '_mailproof-do-not-probe';

/**
 * Lists a name once its owner has published the proof. No request is stored until then: the proof is derived from the
 * entry itself, so the owner asks again to say that it is published.
 */
export async function requestDoNotProbe(
  { store, list, dns, hashOf, events }: DoNotProbeRequestPorts,
  entry: DoNotProbeEntry,
  deadline: Deadline,
): Promise<DoNotProbeOutcome> {
  const registrable = getDomain(entry.name, { allowPrivateDomains: false });
  if (registrable === null) {
    return { kind: 'not_registrable' };
  }
  // The name of a host may be in a separate zone; the owner of the registrable domain decides about the hosts.
  const txtName = `${recordLabel}.${entry.scope === 'mail_host' ? registrable : entry.name}`;
  const txtValue = `mailproof-do-not-probe=${hashOf(`do-not-probe\n${entry.scope}\n${entry.name}`)}`;
  const isCovered = await list.covers(entry);
  const proof = isCovered ? 'seen' : await lookForProof(dns, txtName, txtValue, deadline);
  // Nothing is added below a listed name: otherwise anyone could fill the list with unproved names.
  if (!isCovered && proof === 'seen' && (await store.add(entry, 'owner'))) {
    await list.refresh();
    events.doNotProbeListed(entry);
  }
  const state = proof === 'seen' ? 'listed' : 'proof_wanted';
  return { kind: 'recorded', recorded: { ...entry, state, txtName, txtValue, proof } };
}

async function lookForProof(
  dns: DoNotProbeRequestPorts['dns'],
  txtName: string,
  txtValue: string,
  deadline: Deadline,
): Promise<DoNotProbeRecorded['proof']> {
  const answer = await dns.resolveText(txtName, deadline);
  switch (answer.kind) {
    case 'answer':
      return answer.records.some(text => text.trim() === txtValue) ? 'seen' : 'different';
    case 'failure':
      return 'dns_failure';
    default:
      return 'absent';
  }
}
