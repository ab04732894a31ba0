import type { AccountId } from '@mailproof/shared-types';
import { type Deadline, isOver, within } from '../concurrency/deadline.ts';
import type { MailHosts } from '../dns/find-mail-hosts.ts';
import type { ContactTask } from '../validation/contact-hosts.ts';
import type { Attempt, CatchAllEvidence } from '../verdict/evidence.ts';
import type { EvidencePorts, EvidenceSource, Gathered, Inquiry } from './evidence-source.ts';
import { printedKey } from './site/printed-addresses.ts';
import type { SpareRequests } from './site/site-visit.ts';
import { countSpareRequests } from './spare-requests.ts';
import { weigh } from './weigh.ts';
import type { Weights } from './weights.ts';

/** The operator's settings for evidence. */
export interface EvidencePolicy {
  readonly weights: Weights;
  readonly prior: number;
  readonly sources: readonly EvidenceSource[];
}

/** The most time for gathering evidence, regardless of the time that the caller has. */
const evidenceTimeoutMs = 10_000;

/**
 * Asks all sources at once. A source that fails or has no time is no evidence, and never counts against the address.
 */
export async function gatherCatchAllEvidence(
  ports: EvidencePorts,
  { weights, prior, sources }: EvidencePolicy,
  { mailHosts, attempts, task, accountId }: Question,
  deadline: Deadline,
): Promise<CatchAllEvidence> {
  const inquiry = inquiryOf(mailHosts, attempts, task, accountId);
  const end = within(ports.clock, deadline, evidenceTimeoutMs);
  const spare = countSpareRequests(sources);
  const shared = askingOnce(ports, spare.left);
  const gathered =
    inquiry === undefined || isOver(deadline)
      ? []
      : await Promise.all(
          sources.map(source => spare.counting(source, shared, own => gatherFrom(source, own, inquiry, end))),
        );
  return {
    ...weigh(
      gathered.flatMap(({ observations }) => observations),
      weights,
      prior,
    ),
    attempts: gathered.flatMap(({ attempts: further = [] }) => further),
    restsOnOwnPeople: gathered.some(({ restsOnOwnPeople }) => restsOnOwnPeople) ? true : undefined,
  };
}

/** Several sources need the same facts about an address: each is read once. */
function askingOnce(ports: EvidencePorts, spare: SpareRequests): EvidencePorts {
  const { sites, outcomes } = ports;
  const knownSites = new Map<string, ReturnType<typeof sites.about>>();
  let knownOutcomes: ReturnType<typeof outcomes.ofDomain> | undefined;
  return {
    ...ports,
    sites: {
      about(email, deadline) {
        const key = printedKey(email);
        const known = knownSites.get(key) ?? sites.about(email, deadline, spare);
        knownSites.set(key, known);
        return known;
      },
    },
    outcomes: {
      ofAddress: (email, accountId) => outcomes.ofAddress(email, accountId),
      ofDomain(email, accountId) {
        knownOutcomes ??= outcomes.ofDomain(email, accountId);
        return knownOutcomes;
      },
    },
  };
}

interface Question {
  readonly mailHosts: Extract<MailHosts, { kind: 'found' }>;
  readonly attempts: readonly Attempt[];
  readonly task: ContactTask;
  /** The account whose own outcomes count fully, and whose own people count; if left out, none do. */
  readonly accountId?: AccountId | undefined;
}

/** Nothing is published about mailboxes at an address literal. */
function inquiryOf(
  { hosts }: Question['mailHosts'],
  attempts: readonly Attempt[],
  task: ContactTask,
  accountId: AccountId | undefined,
): Inquiry | undefined {
  const { domain } = task.email;
  // A name in the form of the address: some servers refuse a random one because of its form.
  const stranger = task.madeUp.findLast(({ shape }) => shape === 'alike');
  return domain.kind === 'literal' || stranger === undefined
    ? undefined
    : { task, domain, stranger: stranger.localPart, mailHosts: hosts, attempts, accountId };
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
    // The verdict is reached without this source, as if it had not been asked.
    return { observations: [] };
  }
}
