import { operate, waitFor } from '@mailproof/dev-house';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { ask } from './ask.ts';
import type { Ground } from './ground.ts';
import { exportRows } from './list-work.ts';
import { type ListRow, listHeader } from './lists.ts';
import { validateSingle } from './single-validations.ts';
import { type Preparation, patienceMs, type Work } from './workload.ts';

/** The findings after all work has ended. */
export interface Judgment {
  /** How many requests, rows and deliveries are missing. */
  readonly lost: number;
  /** Credits charged beyond one for each delivered verdict. */
  readonly chargedTwice: number;
  /** The first of all broken promises, in sentences. */
  readonly faults: readonly string[];
}

const faultsShownMax = 10;
/** A hold that is never settled is released one minute after the validation's deadline. */
const holdsMsMax = 120_000;
const replayClients = 8;

/** Checks the results from outside: responses, files, deliveries, the ledger's entries, and the ledger's own audit. */
export async function judge(
  ground: Ground,
  { personFor }: Preparation,
  ledger: Ledger,
  work: Work,
  signal: AbortSignal,
): Promise<Judgment> {
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
  return found.judgment();
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

/** Checks that a retry with the same key gets the same response. */
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

/**
 * Checks that the rows are in order, each with its own cells and the right verdict. Returns how many have a verdict.
 */
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

/**
 * Checks that every row has arrived with its own cells, and that a row that arrived twice has the same id and content.
 */
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

/** Compares the ledger's entries with the charges that customers were told, and checks that no hold is left. */
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
  const spent = (accountId: string, isIncluded = (_: Settlement) => true) =>
    settlements
      .filter(settlement => settlement.accountId === accountId && isIncluded(settlement))
      .reduce((sum, { credits }) => sum + credits, 0);

  const charged = singles.filter(({ asked }) => asked?.answer.isCharged).length;
  found.charge('single validations', spent(customers.singles.accountId), charged, charged);

  const answered = tools.filter(({ asked }) => asked?.answer.creditsConsumed === 1).length;
  // A call has no idempotency key for retries, so an unanswered call may or may not have been charged.
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
    judgment: (): Judgment => ({
      lost,
      chargedTwice,
      faults: more > 0 ? [...faults, `and ${more} more`] : faults,
    }),
  };
}

/** Spent credits according to the ledger's entries. */
interface Settlement {
  readonly accountId: string;
  /** The run for which they were held. */
  readonly runId: string;
  readonly credits: number;
}

/** The entries in the ledger's own tables since a given time; the judge asks no service. */
interface Ledger {
  settlements(): Promise<Settlement[]>;
  /** Returns how many holds, of any account, are neither settled nor released. */
  pendingHolds(): Promise<number>;
}

export async function readLedger({ house }: Ground): Promise<Ledger> {
  const connectionString = house.databaseUrls['ledger']?.migrationDatabaseUrl ?? '';
  async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString, options: '-c search_path=ledger' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }
  const [last] = await query<{ entryId: string }>(
    'SELECT coalesce(max(entry_id), 0) AS "entryId" FROM entry',
  );
  return {
    settlements: () =>
      query(
        `SELECT entry.account_id AS "accountId", run_id AS "runId",
           (-available_change - held_change)::int AS credits
         FROM entry JOIN hold USING (hold_id) WHERE kind = 'settle' AND entry_id > $1`,
        [last?.entryId],
      ),
    async pendingHolds() {
      const [counted] = await query<{ holds: number }>(
        "SELECT count(*)::int AS holds FROM hold WHERE state = 'pending'",
      );
      return counted?.holds ?? 0;
    },
  };
}
