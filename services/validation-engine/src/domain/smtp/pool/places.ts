import type { Finding } from '../open-session.ts';
import type { Heard } from '../transaction.ts';
import type { Lessons } from './lessons.ts';
import type { Pending } from './pending.ts';
import type { RecipientQuestion } from './recipient-asker.ts';

/**
 * How the place of a recipient differs from that of the first one of its session: it follows another in its
 * transaction, it is in a later transaction, or its domain is not that of the first one. There are hosts that refuse
 * every recipient in such a place with the code of a missing mailbox.
 */
export type Place = 'beside' | 'afterwards' | 'other_domain';

/**
 * How late in its session a recipient was asked about. There are hosts that call everybody unknown after so many
 * recipients, or after so many refusals.
 */
export interface Depth {
  /** Recipients asked about before it. */
  readonly recipients: number;
  /** Those of them that the host refused. */
  readonly refusals: number;
}

/** What is doubted in such a place, because a verdict may rest on it. */
export const placeRefusals: ReadonlySet<Finding> = new Set(['missing', 'disabled', 'refused']);

/** What a witness shows: any other refusal may have reasons that have nothing to do with its mailbox. */
const contradictions: ReadonlySet<Finding> = new Set(['missing', 'disabled']);

/** How late it was where that matters: nothing else is said of a mailbox, and a cover comes last on purpose. */
export function depthThatMatters(
  { question }: Pick<Pending, 'question'>,
  { finding }: Pick<Held['heard'], 'finding'>,
  depth: Depth,
): Depth | undefined {
  return question.cover === true || !contradictions.has(finding) ? undefined : depth;
}

/**
 * Refusals after which a host is believed where it never accepts anybody: each was repeated to the first recipient of
 * a fresh session.
 */
const refusalsMeantEnough = 2;

/**
 * True where the host does not refuse recipients for their place, as far as it has shown.
 *
 * @param depth undefined where it does not matter
 */
export function isBelievedAt(
  places: ReadonlySet<Place>,
  depth: Depth | undefined,
  {
    acceptsAt,
    acceptsAfter,
    refusalsMeant,
    firstOnly,
    limitsRate,
  }: Pick<Lessons, 'acceptsAt' | 'acceptsAfter' | 'refusalsMeant' | 'firstOnly' | 'limitsRate'>,
  hasWitness: boolean,
): boolean {
  const isMeant = refusalsMeant >= refusalsMeantEnough && !firstOnly && !hasWitness;
  // A host that calls a limit by its name does not word another one as a missing mailbox.
  const isTooLate =
    !limitsRate &&
    depth !== undefined &&
    (depth.recipients > acceptsAfter.recipients || depth.refusals > acceptsAfter.refusals);
  return isMeant || (!isTooLate && [...places].every(place => acceptsAt.has(place)));
}

/** True once the host is believed about later recipients of one domain, so that these need no fresh sessions. */
export function showsMeaning({
  acceptsAt,
  refusalsMeant,
  firstOnly,
}: Pick<Lessons, 'acceptsAt' | 'refusalsMeant' | 'firstOnly'>): boolean {
  const accepts = acceptsAt.has('beside') && acceptsAt.has('afterwards');
  return !firstOnly && (accepts || refusalsMeant >= refusalsMeantEnough);
}

/** What was heard of a recipient and not believed yet. */
export interface Held {
  readonly pending: Pending;
  readonly heard: Extract<Heard, { kind: 'answered' }>;
  readonly places: ReadonlySet<Place>;
  readonly depth: Depth | undefined;
  /** Flights since. */
  readonly flights: number;
}

/** Flights for which a refusal waits: the host may accept a recipient, or a witness may come. */
export const heldFlightsMax = 2;

/** How a session has gone so far. */
export interface Course {
  /** Whether the host said of any recipient that it exists or does not. */
  forthcoming: boolean;
  /** The domain of the first recipient. */
  firstDomain: string | undefined;
  /** What the next recipient comes after. */
  depth: Depth;
  /** By domain, a recipient that was accepted: a witness, which can be asked about again in a later place. */
  readonly accepted: Map<string, RecipientQuestion>;
  /** Refusals that wait for what a witness gets. */
  held: Held[];
  /** Witnesses that shared a transaction got no clear answer, and have transactions of their own now. */
  witnessesAlone: boolean;
}

export function beginCourse(): Course {
  return {
    forthcoming: false,
    firstDomain: undefined,
    depth: { recipients: 0, refusals: 0 },
    accepted: new Map(),
    held: [],
    witnessesAlone: false,
  };
}

/** @param number of the transaction in its flight, and the position of the recipient in its transaction */
export function placesOf(
  { domain }: RecipientQuestion,
  isFirstFlight: boolean,
  number: number,
  position: number,
  { firstDomain }: Pick<Course, 'firstDomain'>,
): ReadonlySet<Place> {
  const places = new Set<Place>();
  if (position > 0) {
    places.add('beside');
  }
  if (!isFirstFlight || number > 0) {
    places.add('afterwards');
  }
  if (domain !== firstDomain) {
    places.add('other_domain');
  }
  return places;
}

/** Counts a recipient of the session, and returns how late it was. */
export function passRecipient(course: Course, heard: Heard | undefined): Depth {
  const { depth } = course;
  const code = heard?.kind === 'answered' ? (heard.reply?.code ?? 0) : 0;
  course.depth = {
    recipients: depth.recipients + 1,
    refusals: depth.refusals + (code >= 400 ? 1 : 0),
  };
  return depth;
}

/** A witness in a flight, after all who are asked about in it. */
export interface Witness {
  /** What is asked about it, twice where no other recipient shares its transaction and its second place matters. */
  readonly questions: readonly RecipientQuestion[];
  /** Whether it shares the last transaction of the others. */
  readonly isBeside: boolean;
}

/**
 * Chooses the witness for the refusals that are held. It comes after them, because a flight with different answers has to
 * be waited for (flight-order.ts), and because most hosts accept a recipient in such places anyway.
 */
export function witnessFor(
  transactions: readonly (readonly Pending[])[],
  { held, accepted, witnessesAlone }: Course,
  { recipientsMax, firstOnly }: Lessons,
): Witness | undefined {
  const first = held.find(({ pending }) => accepted.has(pending.question.domain));
  const question = first && accepted.get(first.pending.question.domain);
  if (question === undefined || firstOnly) {
    return undefined;
  }
  const last = transactions.at(-1) ?? [];
  const isBeside = !witnessesAlone && last.length < recipientsMax && last.some(fits(question));
  const isTwice = !isBeside && !witnessesAlone && recipientsMax > 1 && held.some(isBesideAnother);
  return { questions: isTwice ? [question, question] : [question], isBeside };
}

function isBesideAnother({ places }: Held): boolean {
  return places.has('beside');
}

function fits({ domain, international }: RecipientQuestion): (other: Pending) => boolean {
  return ({ alone, question }) =>
    !alone && question.domain === domain && question.international === international;
}

/** The questions of a flight with those about its witness. */
export function withWitness(
  transactions: readonly (readonly RecipientQuestion[])[],
  witness: Witness | undefined,
): readonly (readonly RecipientQuestion[])[] {
  if (witness === undefined) {
    return transactions;
  }
  const { questions, isBeside } = witness;
  const last = transactions.at(-1);
  return isBeside && last !== undefined
    ? [...transactions.slice(0, -1), [...last, ...questions]]
    : [...transactions, questions];
}

/**
 * Learns from what a witness got: accepted again, it shows that its place does not matter; refused, that it does.
 * False where it showed neither.
 */
export function hearWitnesses(
  lessons: Lessons,
  transactions: readonly (readonly Pending[])[],
  { questions, isBeside }: Witness,
  heard: readonly (readonly Heard[])[],
  course: Course,
): boolean {
  const number = isBeside ? transactions.length - 1 : transactions.length;
  const from = isBeside ? (transactions[number]?.length ?? 0) : 0;
  const shown = questions.map((question, index) => {
    const answer = heard[number]?.[from + index];
    const places = placesOf(question, false, number, from + index, course);
    return hearWitness(answer, places, passRecipient(course, answer), lessons);
  });
  return shown.every(Boolean);
}

function hearWitness(
  heard: Heard | undefined,
  places: ReadonlySet<Place>,
  depth: Depth,
  lessons: Lessons,
): boolean {
  const finding = heard?.kind === 'answered' ? heard.finding : undefined;
  if (finding === 'accepted') {
    noteAcceptance(places, depth, lessons);
    return true;
  }
  lessons.firstOnly ||= finding !== undefined && contradictions.has(finding);
  return lessons.firstOnly;
}

export function noteAcceptance(
  places: ReadonlySet<Place>,
  depth: Depth,
  lessons: Pick<Lessons, 'acceptsAt' | 'acceptsAfter'>,
): void {
  const { acceptsAt, acceptsAfter } = lessons;
  for (const place of places) {
    acceptsAt.add(place);
  }
  lessons.acceptsAfter = {
    recipients: Math.max(acceptsAfter.recipients, depth.recipients),
    refusals: Math.max(acceptsAfter.refusals, depth.refusals),
  };
}
