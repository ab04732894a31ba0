import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { createSubjects } from '../../src/compose/privacy.ts';
import { type SeededRandom, seededRandom } from '../../src/fixtures/seeded-random.ts';
import { type Fill, insertPeople } from './fill-store.ts';

const turnMs = 100;
const suppressionPauseMs = 1_000;

/** Changes people of a store at a steady rate. */
export interface Changes {
  /** People and companies that were added, updated, removed or suppressed so far. */
  readonly changed: number;
  readonly suppressed: number;
  /** Changes people for so many seconds. */
  run(seconds: number, signal: AbortSignal): Promise<void>;
}

/** Of ten changes, five add a person, three give a person the work and place of another one, and two remove a person. */
export function changesOf(pool: pg.Pool, sourceId: number, fill: Fill, perSecond: number): Changes {
  const perTurn = (perSecond * turnMs) / 1_000;
  const subjects = createSubjects(pool, {
    suppressionKey: Buffer.alloc(32, 1),
    retentionDays: 1_095,
    traces: [],
  });
  const count = { changed: 0, suppressed: 0, turns: 0, added: 0 };
  const personNos = (random: SeededRandom, length: number) =>
    Array.from({ length }, () => 1 + random.below(fill.people + count.added));

  async function turn(): Promise<void> {
    const random = seededRandom(fill.seed, 2_000, count.turns);
    count.turns += 1;
    const added = Math.ceil(perTurn / 2);
    const removed = Math.ceil(perTurn / 5);
    await insertPeople(pool, sourceId, fill, fill.people + count.added, added);
    count.added += added;
    const updated = perTurn - added - removed;
    const updates = await pool.query(
      `UPDATE person SET job_title = other.job_title, seniority = other.seniority, department = other.department,
         company_no = other.company_no, company_name = other.company_name, country = other.country,
         region = other.region, city = other.city, keywords = other.keywords, change_no = nextval('record_change_no')
       FROM unnest($1::int[], $2::int[]) AS pair (person_no, other_no) JOIN person AS other ON other.person_no = other_no
       WHERE person.person_no = pair.person_no`,
      [personNos(random, updated), personNos(random, updated)],
    );
    const removals = await pool.query(
      `WITH removed AS (DELETE FROM person WHERE person_no = ANY ($1) RETURNING person_no)
       INSERT INTO removed_record (person_no) SELECT person_no FROM removed`,
      [personNos(random, removed)],
    );
    // Each second, a company changes for all of its people.
    const companies = await pool.query(
      `UPDATE company SET company_size = other.company_size, industry = other.industry,
         technologies = other.technologies, change_no = nextval('record_change_no')
       FROM company AS other WHERE company.company_no = $1 AND other.company_no = $2`,
      count.turns % 10 === 0 ? [1 + random.below(fill.companies), 1 + random.below(fill.companies)] : [0, 0],
    );
    count.changed += added + (updates.rowCount ?? 0) + (removals.rowCount ?? 0) + (companies.rowCount ?? 0);
  }

  async function suppress(): Promise<void> {
    const random = seededRandom(fill.seed, 2_001, count.turns);
    const { rows } = await pool.query<{ profile_key: string }>(
      'SELECT profile_key FROM person WHERE person_no >= $1 ORDER BY person_no LIMIT 1',
      [personNos(random, 1)[0]],
    );
    for (const { profile_key: profileKey } of rows) {
      const now = new Date();
      const { deleted } = await subjects.suppress({ profileKey, reason: 'opt_out', actor: 'opt_out', now });
      count.suppressed += deleted;
      count.changed += deleted;
    }
  }

  return {
    get changed() {
      return count.changed;
    },
    get suppressed() {
      return count.suppressed;
    },
    async run(seconds, signal) {
      const startedAtMs = performance.now();
      const isRunning = () => performance.now() < startedAtMs + seconds * 1_000 && !signal.aborted;
      const changing = async () => {
        for (let turns = 1; isRunning(); turns += 1) {
          await turn();
          await setTimeout(Math.max(startedAtMs + turns * turnMs - performance.now(), 0));
        }
      };
      const suppressing = async () => {
        for (; isRunning(); await setTimeout(suppressionPauseMs)) {
          await suppress();
        }
      };
      await Promise.all([changing(), suppressing()]);
    },
  };
}
