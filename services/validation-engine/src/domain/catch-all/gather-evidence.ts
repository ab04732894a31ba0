import type { AccountId } from '@mailproof/shared-types';
import type { Errand } from '../contact-hosts.ts';
import { type Deadline, isOver, within } from '../deadline.ts';
import type { MailHosts } from '../dns/find-mail-hosts.ts';
import type { Attempt } from '../verdict/evidence.ts';
import type { EvidencePorts, EvidenceSource, Gathered, Inquiry } from './evidence-source.ts';
import { type Weighing, weigh } from './weigh.ts';
import type { Weights } from './weights.ts';

/** What the operator decides about evidence. */
export interface EvidencePolicy {
  readonly weights: Weights;
  readonly prior: number;
  readonly sources: readonly EvidenceSource[];
}

/** The evidence about one address whose domain accepts everybody. */
export interface CatchAllEvidence extends Weighing {
  /** Further mail hosts that were asked. */
  readonly attempts: readonly Attempt[];
}

/** Nobody waits longer for evidence, however much time the caller gave. */
const evidenceTimeoutMs = 10_000;

/** Asks all sources at once. One that fails or has no time is no evidence, and never a reason against the address. */
export async function gatherCatchAllEvidence(
  ports: EvidencePorts,
  { weights, prior, sources }: EvidencePolicy,
  { mailHosts, attempts, errand, accountId }: Question,
  deadline: Deadline,
): Promise<CatchAllEvidence> {
  const inquiry = inquiryOf(mailHosts, attempts, errand, accountId);
  const end = within(ports.clock, deadline, evidenceTimeoutMs);
  const gathered =
    inquiry === undefined || isOver(deadline)
      ? []
      : await Promise.all(sources.map(source => gatherFrom(source, ports, inquiry, end)));
  return {
    ...weigh(
      gathered.flatMap(({ observations }) => observations),
      weights,
      prior,
    ),
    attempts: gathered.flatMap(({ attempts: further = [] }) => further),
  };
}

interface Question {
  readonly mailHosts: Extract<MailHosts, { kind: 'found' }>;
  readonly attempts: readonly Attempt[];
  readonly errand: Errand;
  /** Whose own outcomes count fully; nobody's when left out. */
  readonly accountId?: AccountId | undefined;
}

/** Nothing is published about mailboxes at an address literal. */
function inquiryOf(
  { hosts }: Question['mailHosts'],
  attempts: readonly Attempt[],
  errand: Errand,
  accountId: AccountId | undefined,
): Inquiry | undefined {
  const { domain } = errand.email;
  // One in the form of the address: some servers refuse a random one for its form.
  const stranger = errand.madeUp.findLast(({ shape }) => shape === 'alike');
  return domain.kind === 'literal' || stranger === undefined
    ? undefined
    : { errand, domain, stranger: stranger.localPart, mailHosts: hosts, attempts, accountId };
}

async function gatherFrom(
  source: EvidenceSource,
  ports: EvidencePorts,
  inquiry: Inquiry,
  deadline: Deadline,
): Promise<Gathered> {
  try {
    return await source.gather(ports, inquiry, deadline);
  } catch {
    // The verdict stands without this source, as it would if nobody had asked.
    return { observations: [] };
  }
}
