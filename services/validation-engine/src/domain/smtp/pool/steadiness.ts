import type { Recipient } from '../transaction.ts';

/**
 * How far a host's answers about a domain follow the names of recipients. `proven`: it repeated its acceptances and never
 * contradicted one. `unsteady`: it gave so many recipients two answers that one alone says nothing. `odd`: it did so
 * lately, but seldom. Otherwise `steady`.
 */
export type Steadiness = 'proven' | 'steady' | 'odd' | 'unsteady';

/** What a host said about recipients that it was asked about more than once. */
export interface Repetitions {
  /** The last answers: whether it accepted the recipient, or called it missing. */
  readonly said: Map<string, boolean>;
  /** By domain, how many acceptances were repeated, and how many answers contradicted the one before. */
  readonly counts: Map<string, { repeated: number; contradicted: number }>;
}

type NamedRecipient = Pick<Recipient, 'localPart' | 'domain'>;

/** The same for all questions about a recipient. */
export function nameOf({ localPart, domain }: NamedRecipient): string {
  return `${localPart}@${domain}`;
}

export function noRepetitions(): Repetitions {
  return { said: new Map(), counts: new Map() };
}

/** The most recipients of a host whose last answer is kept: a recipient is asked about again soon or never. */
const saidMax = 100;

/** The most domains of a host that are counted. */
const domainsMax = 100;

/**
 * Compares an answer that is believed with the one before about the same recipient.
 *
 * @param isAccepted false if the recipient is called missing; other answers are not noted
 */
export function noteAnswer(
  { said, counts }: Repetitions,
  recipient: NamedRecipient,
  isAccepted: boolean,
): void {
  const name = nameOf(recipient);
  const before = said.get(name);
  put(said, name, isAccepted, saidMax);
  // A host that refuses nearly everything repeats its refusals, even if it goes by numbers.
  if (before !== undefined && (before || isAccepted)) {
    count(counts, recipient.domain, before === isAccepted ? 'repeated' : 'contradicted');
  }
}

/**
 * Compares an answer about a witness with the one before. Only an acceptance after a refusal contradicts it: a host that
 * refuses a witness may have lost its recipients, and one that accepts a witness says nothing about acceptances by chance.
 */
export function noteWitness(
  { said, counts }: Repetitions,
  recipient: NamedRecipient,
  isAccepted: boolean,
): void {
  const name = nameOf(recipient);
  if (isAccepted && said.get(name) === false) {
    count(counts, recipient.domain, 'contradicted');
  }
  put(said, name, isAccepted, saidMax);
}

function count(counts: Repetitions['counts'], domain: string, what: 'repeated' | 'contradicted'): void {
  const soFar = counts.get(domain) ?? { repeated: 0, contradicted: 0 };
  put(counts, domain, { ...soFar, [what]: soFar[what] + 1 }, domainsMax);
}

/** Sets an entry of a map and forgets the one that was set longest ago if there are too many. */
function put<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > max) {
    const [oldest = key] = map.keys();
    map.delete(oldest);
  }
}

/**
 * A host is unsteady if it contradicts itself at least so often, compared with the acceptances that it repeats. A host that
 * accepts every nth recipient contradicts itself half of the time or more. Once is not enough: a mailbox may have been
 * removed, or the host may have changed its mind about all of them.
 */
const unsteadyShare = 1 / 6;
const unsteadyMin = 2;
const oddShare = 1 / 50;
/** A host that accepts every nth recipient contradicts itself long before it has repeated so many acceptances. */
const provenMin = 6;

export function steadinessOf({ counts }: Repetitions, domain: string): Steadiness {
  const { repeated, contradicted } = counts.get(domain) ?? { repeated: 0, contradicted: 0 };
  const share = contradicted === 0 ? 0 : contradicted / (repeated + contradicted);
  if (contradicted >= unsteadyMin && share >= unsteadyShare) {
    return 'unsteady';
  }
  if (share >= oddShare) {
    return 'odd';
  }
  return contradicted === 0 && repeated >= provenMin ? 'proven' : 'steady';
}
