import { createWorkTable } from '@mailproof/durable-work/postgres';
import { inTransaction, onlyRow, recordEvent, traceParent } from '@mailproof/service-kit';
import {
  type AccountId,
  limits,
  nameInEvent,
  newId,
  type PeopleImportId,
  type PeopleImportRefusal,
  runPeopleImportJob,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { RawRow } from '../../domain/import/table-file.ts';
import {
  countRefused,
  fieldsAfter,
  judgePart,
  type Known,
  type OwnPersonWrite,
  peopleOf,
  readPart,
  recognitionOf,
} from '../../domain/people-import/judge-rows.ts';
import {
  hasEnded,
  isInPass,
  type NewPeopleImport,
  type PeopleImport,
  type PeopleImportChange,
  type PeopleImportStore,
  type ReadFile,
} from '../../domain/people-import/people-import.ts';
import { recognitionHashes } from '../../domain/privacy/recognition.ts';
import type { Fields } from '../../domain/profile-store/merge.ts';
import type { PersonRecord } from '../../domain/profile-store/profile-records.ts';
import { sql } from './own-people.sql.ts';
import { readSuppressed } from './privacy/suppression-check.ts';
import { sql as profiles } from './profiles.sql.ts';

/** The most imports that are deleted at once. */
const someMax = 100;
const inPass = "w.state IN ('previewing', 'importing')";

/** Imports of accounts' own people, on Postgres. */
export function createPeopleImportStore(
  pool: Pool,
  { suppressionKey }: { readonly suppressionKey: Uint8Array },
): PeopleImportStore {
  const imports = createWorkTable<PeopleImportId, PeopleImport, PeopleImportChange>(pool, {
    table: 'people_import',
    name: 'import',
    jobType: runPeopleImportJob,
    idOf: ({ importId }) => importId,
    isActive: inPass,
    async onChange(client, record, before) {
      if (hasEnded(record)) {
        if (before.state === 'importing' || record.state === 'failed') {
          await recordEnd(client, record);
        }
        await sql.forget_parts(client, { import_no: record.importNo });
        await sql.forget_keys(client, { import_no: record.importNo });
        await sql.forget_examples(client, { import_no: record.importNo });
      }
    },
  });
  const { find, findOf, change, sweep } = imports;
  return {
    find,
    findOf,
    change,
    sweep,

    async create(record, file) {
      const { accountId, importId } = record;
      const findEarlier = async (client: PoolClient) =>
        (await imports.select('w.account_id = $1 AND w.import_id = $2', [accountId, importId], client))[0];
      const refused = new Refused();
      try {
        return await inTransaction(pool, async client => {
          const earlier = await findEarlier(client);
          if (earlier) {
            return { kind: 'repeated', record: earlier };
          }
          if ((await countWaiting(client, accountId)) >= limits.waitingPeopleImportsMax) {
            return { kind: 'tooMany' };
          }
          const isNew = await insertImport(client, record, file);
          // Only now: other requests of the account must not wait, with a connection each, while a file is read.
          await sql.lock_own_people(client, { account_id: accountId });
          if (isNew && (await countWaiting(client, accountId)) > limits.waitingPeopleImportsMax) {
            throw refused.because('tooMany');
          }
          const kept = { account_id: accountId, ended_max: limits.endedPeopleImportsMax };
          await sql.forget_oldest(client, kept);
          const created = await findEarlier(client);
          if (!created) {
            throw new Error('An import that was just stored is not there.');
          }
          return { kind: isNew ? 'created' : 'repeated', record: created };
        });
      } catch (error) {
        if (error === refused) {
          return { kind: 'tooMany' };
        }
        throw error;
      }
    },

    async list(accountId, { state, cursor, limit }) {
      const { records, nextCursor } = await imports.page(accountId, { state }, { cursor, limit });
      return { imports: records, nextCursor };
    },

    async begin(record, begun) {
      const { accountId, importNo } = record;
      const refused = new Refused();
      try {
        return await imports.changeWith(
          record,
          async client => {
            await sql.lock_own_people(client, { account_id: accountId });
            const running = { account_id: accountId, states: ['previewing', 'importing'] };
            if ((await onlyRow(sql.count_imports(client, running))).imports > 0) {
              throw refused.because('tooMany');
            }
            const list = { account_id: accountId, list_id: begun.listId ?? '' };
            if (begun.listId && (await sql.has_people_list(client, list)).rowCount === 0) {
              throw refused.because('noList');
            }
            await sql.forget_keys(client, { import_no: importNo });
            await sql.forget_refusals(client, { import_no: importNo });
            return begun;
          },
          { waitMs: 0 },
        );
      } catch (error) {
        if (error === refused && refused.reason) {
          return refused.reason;
        }
        throw error;
      }
    },

    takePart: (record, now) =>
      imports.changeWith(record, client => takePart(client, suppressionKey, record, now)),

    async refusals(importNo, after, rowsMax) {
      const page = { import_no: importNo, after_line: after, rows_max: rowsMax };
      const { rows } = await sql.list_refusals(pool, page);
      return rows.map(({ line, reason, column_name: column }) => ({
        line,
        reason: reason as PeopleImportRefusal,
        column,
      }));
    },

    async delete(accountId, importId) {
      const condition = `w.account_id = $1 AND w.import_id = $2 AND NOT ${inPass}`;
      const deleted = await imports.deleteSome(condition, [accountId, importId], 1);
      return deleted.length === 1 ? 'deleted' : (await findOf(accountId, importId)) ? 'underWay' : 'notFound';
    },

    async deleteOutdated(now) {
      let deleted = 0;
      for (let some = someMax; some === someMax; deleted += some) {
        some = (await imports.deleteSome(`w.deleted_at <= $1 AND NOT ${inPass}`, [now], someMax)).length;
      }
      return deleted;
    },
  };
}

async function recordEnd(client: PoolClient, record: PeopleImport): Promise<void> {
  const { accountId, importId, name, state, failure, listId, rowsTotal, outcomes } = record;
  const { added, changed } = outcomes;
  await recordEvent(client, 'people_import.finished', {
    account_id: accountId,
    import_id: importId,
    name: nameInEvent(name),
    state,
    failure,
    list_id: listId,
    rows: { total: rowsTotal, added, changed, refused: countRefused(outcomes) },
  });
}

/** Ends the transaction of a pass that must not begin. */
class Refused extends Error {
  override readonly name = 'Refused';
  reason: 'tooMany' | 'noList' | undefined;

  because(reason: 'tooMany' | 'noList'): this {
    this.reason = reason;
    return this;
  }
}

async function countWaiting(client: PoolClient, accountId: AccountId): Promise<number> {
  const waiting = { account_id: accountId, states: ['uploaded', 'previewing', 'previewed'] };
  return (await onlyRow(sql.count_imports(client, waiting))).imports;
}

/** Returns false, after a request that stores the same import at the same time has done so, if there is one. */
async function insertImport(client: PoolClient, record: NewPeopleImport, file: ReadFile): Promise<boolean> {
  const { facts } = file;
  const { rows: inserted } = await sql.insert_import(client, {
    import_id: record.importId,
    account_id: record.accountId,
    created_by: record.createdBy,
    name: record.name,
    state: 'uploaded',
    format: facts.format,
    encoding: facts.encoding,
    encoding_is_guess: facts.encodingIsGuess,
    layout: facts.layout,
    columns: JSON.stringify(facts.columns),
    detected: JSON.stringify(facts.detected),
    file_hash: record.fileHash,
    created_at: record.createdAt,
    deleted_at: record.deletedAt,
    trace_parent: traceParent(),
  });
  if (!inserted[0]) {
    return false;
  }
  const { import_no } = inserted[0];
  await sql.let_reading_pause(client, {});
  let part_no = 0;
  let rows_total = 0;
  for await (const rows of file.parts) {
    await sql.insert_part(client, { import_no, part_no, rows: JSON.stringify(rows) });
    part_no += 1;
    rows_total += rows.length;
  }
  await sql.set_rows_total(client, { import_no, rows_total });
  return true;
}

/** Judges the next part of a pass, and stores the people if it is the import. */
async function takePart(
  client: PoolClient,
  suppressionKey: Uint8Array,
  record: PeopleImport,
  now: Date,
): Promise<PeopleImportChange> {
  const { accountId, importId, importNo, partsDone, mapping } = record;
  if (!isInPass(record) || mapping === null) {
    throw new Error('An import that is in no pass was taken up.');
  }
  const isImport = record.state === 'importing';
  if (isImport) {
    // A person who is suppressed at this moment is either seen here, or sees the row.
    await profiles.lock_profile_store(client, {});
  }
  const stored = await onlyRow(sql.read_part(client, { import_no: importNo, part_no: partsDone }));
  const part = readPart(stored.rows as unknown as RawRow[], mapping);
  const people = peopleOf(part);
  const known = await readKnown(client, { suppressionKey, record, people });
  const { outcomes, refusals, writes, accepted } = judgePart(part, known, record.outcomes);
  await sql.note_met(client, { import_no: importNo, profile_keys: accepted });
  if (refusals.length > 0) {
    const rows = refusals.map(({ line, reason, column }) => ({ line, reason, column_name: column }));
    await sql.note_refusals(client, { import_no: importNo, rows: JSON.stringify(rows) });
  }
  if (isImport && writes.length > 0) {
    await sql.write_own_people(client, {
      account_id: accountId,
      import_id: importId,
      import_name: record.name,
      // Numbers descend, so the last row is inserted first, and the order of saving is that of the file.
      rows: JSON.stringify(writes.toReversed().map(write => rowOf(write, suppressionKey, now))),
      now,
    });
  }
  if (isImport && record.listId !== null) {
    await sql.list_people(client, { account_id: accountId, list_id: record.listId, profile_keys: accepted });
  }
  return {
    partsDone: partsDone + 1,
    rowsDone: record.rowsDone + part.length,
    outcomes,
    failedAttempts: 0,
    movedAt: now,
  };
}

function rowOf({ profileKey, fields }: OwnPersonWrite, suppressionKey: Uint8Array, now: Date): object {
  const hashes = recognitionHashes(suppressionKey, recognitionOf(profileKey, fields));
  return {
    ...fields,
    profile_key: profileKey,
    person_id: newId('person', now.getTime()),
    recognition_hashes: hashes.map(hash => `\\x${hash.toString('hex')}`),
  };
}

async function readKnown(
  client: PoolClient,
  {
    suppressionKey,
    record: { accountId, importNo, state, outcomes },
    people,
  }: {
    readonly suppressionKey: Uint8Array;
    readonly record: PeopleImport;
    readonly people: readonly PersonRecord[];
  },
): Promise<Known> {
  const keys = people.map(({ profileKey }) => profileKey);
  const ofAccount = { account_id: accountId, profile_keys: keys };
  const { rows } = await sql.find_own_people(client, ofAccount);
  const own = new Map(rows.map(({ profile_key, row }) => [profile_key, fieldsOf(row as Fields)]));
  // A row can complete what is known to what identifies someone who opted out.
  const completed = people.filter(({ profileKey }) => own.has(profileKey));
  const suppressed = await readSuppressed(client, suppressionKey, [
    ...people,
    ...completed.map(person => recognitionOf(person.profileKey, fieldsAfter(person, own))),
  ]);
  const { rows: saved } = await sql.find_saved_keys(client, ofAccount);
  const { rows: met } = await sql.find_met(client, { import_no: importNo, profile_keys: keys });
  const count = await countOwnPeople(client, accountId);
  // A preview has not stored the people that it counted.
  const counted = count + (state === 'previewing' ? outcomes.added : 0);
  return {
    suppressed: new Set(
      [...people, ...completed].flatMap(({ profileKey }, at) => (suppressed[at] ? [profileKey] : [])),
    ),
    own,
    saved: new Set(saved.map(({ profile_key }) => profile_key)),
    met: new Set(met.map(({ profile_key }) => profile_key)),
    room: Math.max(0, limits.ownPeopleMax - counted),
  };
}

const notFields = new Set([
  'person_no',
  'person_id',
  'account_id',
  'profile_key',
  'import_id',
  'import_name',
  'recognition_hashes',
  'saved_at',
  'updated_at',
]);

function fieldsOf(row: Fields): Fields {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !notFields.has(column)));
}

async function countOwnPeople(client: PoolClient, accountId: AccountId): Promise<number> {
  return (await onlyRow(sql.count_own_people(client, { account_id: accountId }))).people;
}
