import { operate, waitFor } from '@mailproof/dev-house';
import { parse } from 'csv-parse/sync';
import { ask } from './ask.ts';
import type { Ground } from './ground.ts';
import type { Ledger, Settlement } from './ledger-entries.ts';
import { exportRows } from './list-work.ts';
import { type ListRow, listHeader } from './lists.ts';
import { validateSingle } from './single-validations.ts';
import { type Preparation, patienceMs, type Work } from './workload.ts';

/** What was found when everything had come to rest. */
export interface Judgement {
  /** Requests, rows and deliveries that customers are without. */
  readonly lost: number;
  /** Credits beyond one for each verdict that was delivered. */
  readonly chargedTwice: number;
  /** Everything that is not as promised, in sentences, the first of them. */
  readonly faults: readonly string[];
}

const faultsShownMax = 10;
/** A hold that nobody comes back to is given back after the deadline of a validation and a minute. */
const holdsMsMax = 120_000;
const replayClients = 8;

/** Looks at everything from outside: at answers, files, deliveries, the ledger's entries, and its own audit. */
export async function judge(
  ground: Ground,
  { personFor }: Preparation,
  ledger: Ledger,
  work: Work,
  signal: AbortSignal,
): Promise<Judgement> {
  const found = createFindings();
  judgeSingles(ground, work, found);
  await judgeReplays(ground, work, found, signal);
  let verdicts: number | undefined;
  if (work.ends.job === 'succeeded') {
    const file = await exportRows(personFor(patienceMs, signal), work.job.id, signal);
    verdicts = judgeFile(ground, work.job.rows, file, found);
  } else {
    found.lose(work.job.rows.length, `the job ended as ${work.ends.job}`);
  }
  judgePush(ground, work, found);
  await judgeCharges(ground, ledger, work, verdicts, found);
  await operate(ground.house, ['ledger', 'audit']).catch(error =>
    found.say(`the audit: ${(error as Error).message}`),
  );
  return found.judgement();
}

function judgeSingles({ addresses }: Ground, { singles, tools }: Work, found: Findings): void {
  for (const { email, asked, refusals } of [...singles, ...tools]) {
    const expected = addresses.expected.get(email);
    if (!asked) {
      found.lose(1, `a question was never answered; its last refusal: ${JSON.stringify(refusals.at(-1))}`);
    } else if (asked.answer.result !== expected && asked.answer.result !== 'unknown') {
      found.say(`${asked.answer.result} in place of ${expected}`);
    }
  }
}

/** Whoever asks again under the same key gets the same answer. */
async function judgeReplays(
  ground: Ground,
  { singles }: Work,
  found: Findings,
  signal: AbortSignal,
): Promise<void> {
  const left = [...singles];
  async function replay(): Promise<void> {
    for (let question = left.pop(); question; question = left.pop()) {
      const { email, asked } = question;
      if (!asked) continue;
      const { key, text } = asked.answer;
      const again = validateSingle(ground.urlOf('gateway'), ground.customers.singles.apiKey, email, key);
      const { answer } = await ask(again, { deadlineMs: patienceMs, signal });
      if (answer.text !== text || !answer.isReplayed) found.lose(1, `another answer under the same key`);
    }
  }
  await Promise.all(Array.from({ length: replayClients }, replay));
}

/** Every row in its order with its own cells, and the verdict that it should have; answers how many have one. */
function judgeFile({ addresses }: Ground, rows: readonly ListRow[], file: string, found: Findings): number {
  const decided = new Set<string>();
  const [header = [], ...records] = parse(file, { bom: true }) as string[][];
  const resultAt = header.indexOf('result_status');
  if (header.slice(0, listHeader.length).join() !== listHeader.join() || resultAt < 0) {
    found.say(`the header of the file is ${header.join()}`);
  }
  if (records.length !== rows.length) {
    found.lose(Math.max(1, rows.length - records.length), `a file of ${records.length} rows`);
  }
  rows.forEach((cells, at) => {
    const record = records[at] ?? [];
    if (cells.some((cell, column) => record[column] !== cell)) {
      found.lose(1, `row ${at + 1} of the file is another one`);
    }
    const result = record[resultAt] ?? '';
    if (result === 'unknown') return;
    decided.add(cells[2]);
    if (result !== addresses.expected.get(cells[2])) found.say(`row ${at + 1} says ${result}`);
  });
  return decided.size;
}

/** Every row has arrived with its own cells; what came twice came under the same id and says the same. */
function judgePush({ receiver }: Ground, { push, ends }: Work, found: Findings): void {
  if (ends.push !== 'succeeded') found.say(`the push ended as ${ends.push}`);
  const taken = receiver.taken();
  push.rows.forEach((cells, at) => {
    const deliveries = taken.get(`${push.id}_${at + 1}`) ?? [];
    const bodies = new Set(deliveries.map(({ body }) => body));
    if (bodies.size === 0) found.lose(1, `row ${at + 1} of the push did not arrive`);
    for (const body of bodies) {
      const row = JSON.parse(body) as Record<string, unknown>;
      if (listHeader.some((name, column) => row[name] !== cells[column])) {
        found.lose(1, `row ${at + 1} of the push is another one`);
      }
    }
    if (bodies.size > 1) found.say(`row ${at + 1} of the push arrived in ${bodies.size} versions`);
  });
  const ids = [...taken.keys()].filter(id => id.startsWith(`${push.id}_`));
  if (ids.length > push.rows.length) found.say(`${ids.length} rows arrived of ${push.rows.length}`);
}

/** The ledger's entries against what customers were told; and nothing is held any more. */
async function judgeCharges(
  { customers }: Ground,
  ledger: Ledger,
  { singles, tools, job }: Work,
  verdicts: number | undefined,
  found: Findings,
): Promise<void> {
  await waitFor('No credit is held', async () => (await ledger.pendingHolds()) === 0, {
    deadlineMs: holdsMsMax,
  }).catch(async () => found.say(`${await ledger.pendingHolds()} holds are left over`));
  const settlements = await ledger.settlements();
  const spent = (accountId: string, isMeant = (_: Settlement) => true) =>
    settlements
      .filter(settlement => settlement.accountId === accountId && isMeant(settlement))
      .reduce((sum, { credits }) => sum + credits, 0);

  const charged = singles.filter(({ asked }) => asked?.answer.isCharged).length;
  found.charge('single validations', spent(customers.singles.accountId), charged, charged);

  const answered = tools.filter(({ asked }) => asked?.answer.creditsConsumed === 1).length;
  // A call has no key to ask again under: of one that was not answered nobody can tell whether it was answered for us.
  const unanswered = tools.flatMap(({ refusals }) => refusals).filter(({ status }) => status === 0).length;
  found.charge('tool calls', spent(customers.tools.accountId), answered, answered + unanswered);

  if (verdicts !== undefined) {
    const isOfJob = ({ runId }: Settlement) => runId === job.id || runId.startsWith(`${job.id}.`);
    found.charge('the job', spent(customers.lists.accountId, isOfJob), verdicts, verdicts);
  }
}

type Findings = ReturnType<typeof createFindings>;

function createFindings() {
  const faults: string[] = [];
  let [lost, chargedTwice, more] = [0, 0, 0];
  function say(sentence: string): void {
    if (faults.length < faultsShownMax) faults.push(sentence);
    else more += 1;
  }
  return {
    say,
    lose(count: number, sentence: string) {
      lost += count;
      say(sentence);
    },
    charge(what: string, spent: number, least: number, most: number) {
      chargedTwice += Math.max(0, spent - most);
      if (spent > most) say(`${what}: ${spent} credits for ${most} verdicts`);
      if (spent < least) say(`${what}: ${spent} credits for ${least} verdicts, too few`);
    },
    judgement: (): Judgement => ({
      lost,
      chargedTwice,
      faults: more > 0 ? [...faults, `and ${more} more`] : faults,
    }),
  };
}
