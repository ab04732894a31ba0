import { isOver } from '../../concurrency/deadline.ts';
import type { Finding } from '../conversation.ts';
import type { Session } from '../session.ts';
import type { Heard } from '../transaction.ts';
import type { IdleSessions } from './host-queue.ts';
import { type HostQueue, hasRoomForRepeats, latestOf, takeFlight } from './host-queue.ts';
import {
  atStartOfTransaction,
  type Circumstances,
  type Depth,
  deeperCounts,
  denials,
  doubtedRefusals,
  endsSession,
  isDeeper,
  learn,
  learnFromTurns,
  noteRefusals,
  unexplained,
  withinTransaction,
} from './lessons.ts';
import { barrenSessionsMax, restMs } from './limits.ts';
import {
  beginCourse,
  type Course,
  depthThatMatters,
  hearLastingWitness,
  hearWitnesses,
  heldFlightsMax,
  isBelievedAt,
  isContradiction,
  judgeHeard,
  keepWitness,
  lastingWitnessFor,
  noteAcceptance,
  passRecipient,
  positionsOf,
  showsMeaning,
  withWitness,
  witnessFor,
} from './positions.ts';
import type { Pending, RecipientQuestion } from './recipient-asker.ts';
import { noteAnswer, noteWitness, steadinessOf } from './steadiness.ts';

/** Asks the questions of a queue in a session, until the session or the questions end. */
export async function putQuestions(
  queue: HostQueue,
  session: Session,
  idleSessions: IdleSessions,
  isClosing: () => boolean,
): Promise<void> {
  const course = beginCourse();
  for (let room = session.room(); room > 0; room = session.room()) {
    if (queue.lessons.firstOnly && session.asked() > 0) {
      break;
    }
    // No `await` otherwise: the session pool relies on the first flight being taken at once.
    while (queue.rest !== undefined) {
      await queue.rest;
    }
    const { doubtfulWitness } = queue.lessons;
    if (doubtfulWitness !== undefined && session.asked() === 0 && queue.waiting.size > 0) {
      // Meanwhile no other session asks anything.
      queue.rest = askDoubtfulWitness(queue, session, course, doubtfulWitness).finally(() => {
        queue.rest = undefined;
      });
      await queue.rest;
      continue;
    }
    const flight = takeFlight(queue, session, room);
    if (flight.length > 0 || course.held.length > 0) {
      await fly(queue, session, flight, course);
    } else if (isClosing() || queue.waiting.size > 0 || !(await idleSessions.wait(queue))) {
      // The waiting questions still need a fresh session.
      return;
    }
  }
  if (course.held.length > 0 && session.isUsable()) {
    // The session has met enough refusals, but a witness should not be refused.
    await fly(queue, session, [], course);
  }
  concludeHeld(queue, session, course, true);
}

/** Finds out whether the position explains that a host no longer accepts a recipient, or it has lost its recipients. */
async function askDoubtfulWitness(
  queue: HostQueue,
  session: Session,
  course: Course,
  question: RecipientQuestion,
): Promise<void> {
  const { lessons } = queue;
  lessons.doubtfulWitness = undefined;
  course.firstDomain = question.domain;
  const deadline = latestOf(() => queue.waiting, queue.abandonment.signal);
  const [[heard] = []] = await session.ask([[question]], deadline);
  const depth = passRecipient(course, question, heard, 0);
  const finding = findingOf(heard) ?? 'closed';
  if (finding === 'accepted') {
    keepWitness(question, depth, course, lessons);
  }
  course.forthcoming ||= knowing.has(finding);
  if (finding === 'accepted' || denials.has(finding)) {
    noteWitness(lessons.repetitions, question, finding === 'accepted');
  }
  if (finding !== 'accepted') {
    // Without an answer, the host may still have lost its recipients.
    lessons.contradictsItself = true;
  }
  if (denials.has(finding)) {
    lessons.firstOnly = false;
  }
}

/** Asks about all recipients of a flight. */
async function fly(
  queue: HostQueue,
  session: Session,
  flight: readonly (readonly Pending[])[],
  course: Course,
): Promise<void> {
  const transactions = flight
    .map(transaction => transaction.filter(pending => isAskable(pending, session)))
    .filter(transaction => transaction.length > 0);
  const witness = session.asked() > 0 ? witnessFor(transactions, course, queue.lessons) : undefined;
  if (transactions.length === 0 && witness === undefined) {
    concludeHeld(queue, session, course, true);
    return;
  }
  const lasting = witness === undefined ? lastingWitnessFor(transactions, session, queue.lessons) : undefined;
  const asked = transactions.flat();
  const all = [...asked, ...course.held.map(({ pending }) => pending)];
  for (const pending of asked) {
    pending.tries += 1;
    pending.turn = queue.turns;
    queue.turns += 1;
    pending.opening = session.opening;
    queue.inFlight.add(pending);
  }
  const isFresh = session.asked() === 0;
  const hadShown = showsMeaning(queue.lessons);
  course.firstDomain ??= asked[0]?.question.domain;
  const heard = await session.ask(
    withWitness(
      transactions.map(transaction => transaction.map(({ question }) => question)),
      witness ?? lasting,
    ),
    latestOf(() => all, queue.abandonment.signal),
  );
  // Not the longest so far: a host that was slow once counts as quick again after some flights, in any session.
  queue.lessons.replyMs = session.replyMs();
  learnFromTurns(queue.lessons, session, heard[0]?.[0]);
  const isLimited = heard.flat().some(answer => findingOf(answer) === 'too_many_recipients');
  const positions = transactions.map((transaction, number) =>
    transaction.map(({ question }, index) => positionsOf(question, isFresh, number, index, course)),
  );
  const depths = transactions.map((transaction, number) =>
    transaction.map(({ question }, index) => passRecipient(course, question, heard[number]?.[index], index)),
  );
  // An acceptance speaks for the host whether it came before or after a refusal.
  for (const [number, transaction] of transactions.entries()) {
    for (const [index, { question }] of transaction.entries()) {
      if (findingOf(heard[number]?.[index]) === 'accepted') {
        const depth = depths[number]?.[index] ?? course.depth;
        noteAcceptance(positions[number]?.[index] ?? new Set(), depth, queue.lessons);
        keepWitness(question, depth, course, queue.lessons);
        queue.lessons.denialsInARow = 0;
      } else if (denials.has(findingOf(heard[number]?.[index]) ?? 'closed')) {
        queue.lessons.denialsInARow += 1;
      }
    }
  }
  noteRefusals(queue.lessons, heard, depths);
  const isClear = witness === undefined || hearWitnesses(queue.lessons, transactions, witness, heard, course);
  const lastingAnswer =
    lasting === undefined
      ? 'silent'
      : hearLastingWitness(queue.lessons, transactions, lasting, heard, course, isFresh);
  const again: Pending[] = [];
  for (const [number, transaction] of transactions.entries()) {
    const answers = heard[number] ?? [];
    for (const [index, pending] of transaction.entries()) {
      const answer = answers[index] ?? { kind: 'unreached' };
      course.forthcoming ||= answer.kind === 'answered' && knowing.has(answer.finding);
      const isDone = conclude(queue, session, course, pending, answer, {
        firstTransaction: isFresh && number === 0,
        firstOfTransaction: findingOf(answers[0]),
        refusals: session.refusals(),
        forthcoming: course.forthcoming,
        positions: positions[number]?.[index] ?? new Set(),
        depth: depths[number]?.[index] ?? course.depth,
        lasting: lastingAnswer,
      });
      if (!isDone) {
        again.push(pending);
      }
    }
  }
  const mayTryAlone = !isClear && witness?.sharesLast === true;
  course.witnessesAlone ||= mayTryAlone;
  concludeHeld(queue, session, course, witness !== undefined && !mayTryAlone);
  if (again.length > 0) {
    queue.waiting = new Set([...again, ...queue.waiting]);
  }
  if (isLimited && queue.lessons.limitsRate) {
    rest(queue);
  }
  if (!hadShown && showsMeaning(queue.lessons)) {
    spareFreshSessions(queue);
  }
  if (heard.flat().some(answer => answer.kind === 'answered' && !endsSession(answer))) {
    queue.barrenInRow = 0;
  } else if (isFresh && all.some(({ deadline }) => !isOver(deadline))) {
    giveUpWhereBarren(queue, session, heard[0]?.[0]);
  }
}

/** Stops asking a host for a moment if it limits how many recipients it is asked about at a time. */
function rest(queue: HostQueue): void {
  queue.rest ??= new Promise(resolve => {
    setTimeout(() => {
      queue.rest = undefined;
      resolve();
    }, restMs);
  });
}

/**
 * Lets recipients that were doubted because of their position share sessions again, now that the host has shown that it
 * means its refusals.
 */
function spareFreshSessions({ waiting }: HostQueue): void {
  for (const pending of waiting) {
    if (pending.doubted !== undefined && doubtedRefusals.has(pending.doubted) && pending.fresh) {
      pending.fresh = pending.question.fresh === true;
      pending.doubted = undefined;
    }
  }
}

/** Gives up on a host that ends one session after the other: it refuses us, regardless of the recipient. */
function giveUpWhereBarren(queue: HostQueue, { opening }: Session, first: Heard | undefined): void {
  queue.barrenInRow += 1;
  if (queue.barrenInRow < barrenSessionsMax || first === undefined || first.kind === 'unreached') {
    return;
  }
  const stage = first.kind === 'ended' ? first.stage : 'rcpt';
  for (const { settle, said } of queue.waiting) {
    settle({ kind: 'ended', stage, finding: first.finding, opening, transcript: said });
  }
}

/** Findings that show that a host looks recipients up. */
const knowing: ReadonlySet<Finding> = new Set(['accepted', 'missing', 'disabled', 'full']);

/** False for a recipient that cannot be asked about in this session; its question is then answered. */
function isAskable({ question, settle }: Pending, { extensions, opening }: Session): boolean {
  const isAble = !question.international || extensions.has('SMTPUTF8');
  if (!isAble) {
    settle({ kind: 'smtputf8_unsupported', opening, transcript: [] });
  }
  return isAble;
}

/** Believes what was heard about a recipient; false if it should be asked about again. */
function conclude(
  queue: HostQueue,
  session: Session,
  course: Course,
  pending: Pending,
  heard: Heard,
  circumstances: Circumstances,
): boolean {
  queue.inFlight.delete(pending);
  const { doubtBlocks, limitsRate } = queue.lessons;
  learn(queue.lessons, heard, pending, circumstances);
  if (doubtBlocks !== queue.lessons.doubtBlocks || limitsRate !== queue.lessons.limitsRate) {
    // If all sessions are refused for the same reason, another session changes nothing for a recipient.
    for (const waiting of queue.waiting) {
      waiting.fresh = waiting.question.fresh === true;
    }
  }
  if (pending.isSettled) {
    return true;
  }
  const judgment = judgeHeard(heard, pending, circumstances, queue.lessons);
  if (heard.kind !== 'unreached') {
    pending.said.push(...heard.transcript);
  }
  if (judgment === 'held' && heard.kind === 'answered') {
    // It still waits for an answer, like the questions in flight.
    queue.inFlight.add(pending);
    const { positions } = circumstances;
    const depth = depthThatMatters(pending, heard, circumstances.depth);
    course.held.push({ pending, heard, positions, depth, askedAt: circumstances.depth, flights: 0 });
    return true;
  }
  if (judgment === 'final') {
    answer(queue, session, pending, heard, circumstances.depth);
    return true;
  }
  pending.alone ||= judgment === 'again_alone';
  pending.fresh = judgment === 'again_fresh' || pending.question.fresh === true;
  pending.doubted = judgment === 'again_alone' ? findingOf(heard) : undefined;
  const wasAsked = heard.kind === 'answered' || (heard.kind === 'ended' && heard.stage !== 'mail');
  if (!wasAsked && session.asked() > 0) {
    // Not counted as a try: the session served others, so recipients that come too late are asked about again without
    // limit.
    pending.tries -= 1;
  }
  return false;
}

/**
 * Believes the held refusals that the host has since shown to mean. Refusals about which this session can show nothing
 * more are asked about again in fresh sessions.
 *
 * @param hasHeard whether a witness has been heard, or the session is over
 */
function concludeHeld(queue: HostQueue, session: Session, course: Course, hasHeard: boolean): void {
  const { held } = course;
  course.held = [];
  const again: Pending[] = [];
  for (const one of held) {
    const { pending, heard, positions, depth, askedAt, flights } = one;
    const isLast = hasHeard || flights >= heldFlightsMax;
    if (pending.isSettled) {
      queue.inFlight.delete(pending);
    } else if (isContradiction(one, course, queue.lessons) || isBelievedAt(positions, depth, queue.lessons)) {
      queue.inFlight.delete(pending);
      answer(queue, session, pending, heard, askedAt);
    } else if (isLast || queue.lessons.firstOnly) {
      queue.inFlight.delete(pending);
      pending.fresh = true;
      pending.doubted = heard.finding;
      again.push(pending);
    } else {
      course.held.push({ ...one, flights: flights + 1 });
    }
  }
  if (again.length > 0) {
    queue.waiting = new Set([...again, ...queue.waiting]);
  }
}

function answer(
  { lessons }: HostQueue,
  session: Session,
  pending: Pending,
  heard: Heard,
  depth: Depth,
): void {
  const told = { opening: session.opening, turn: pending.turn, transcript: pending.said };
  if (heard.kind === 'unreached') {
    pending.settle({ kind: 'ended', stage: 'rcpt', finding: 'closed', ...told });
    return;
  }
  const { domain } = pending.question;
  if (heard.kind === 'answered' && (heard.finding === 'accepted' || denials.has(heard.finding))) {
    noteAnswer(lessons.repetitions, pending.question, heard.finding === 'accepted');
  }
  // If a host demands TLS and TLS with it fails, it has no policy against us.
  const finding =
    heard.finding === 'tls_required' && !lessons.useTls
      ? 'tls_failed'
      : // A host that has lost its recipients, or some machine of it, calls all of them missing.
        lessons.contradictsItself && denials.has(heard.finding)
        ? 'missing_for_now'
        : heard.finding;
  pending.settle(
    heard.kind === 'answered'
      ? {
          ...heard,
          finding,
          // A limit of the session often has no reason either.
          first: unexplained.has(finding)
            ? depth.recipients === 0 || lessons.repeated.has(finding)
            : heard.first || lessons.confirmed.has(finding),
          inCompany: isDeeper(withinTransaction(depth), lessons.refusesAfter),
          lateBy: () => deeperCounts(atStartOfTransaction(depth), lessons.refusesAfter),
          knowsDomain: lessons.witnesses.some(witness => witness.domain === domain),
          replyMs: session.replyMs(),
          hasRoomForRepeats: () => hasRoomForRepeats(lessons, session),
          steadiness: () => steadinessOf(lessons.repetitions, domain),
          ...told,
        }
      : { ...heard, finding, ...told },
  );
}

function findingOf(heard: Heard | undefined): Finding | undefined {
  return heard?.kind === 'answered' || heard?.kind === 'ended' ? heard.finding : undefined;
}
