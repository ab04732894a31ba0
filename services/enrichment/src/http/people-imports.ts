import { idOfKey } from '@mailproof/durable-work';
import { type Follow, type Handlers, Problem, readRequestKey, unavailable } from '@mailproof/service-kit';
import {
  createPeopleImport,
  limits,
  newId,
  type PeopleImport as PeopleImportAnswer,
  type PeopleImportField,
  type PeopleImportOutcomes,
  type PeopleImportRefusal,
  peopleImportFailures,
  peopleImportRefusals,
} from '@mailproof/shared-types';
import { FileFault } from '../domain/import/table-file.ts';
import type { PassOutcome, PassRequest } from '../domain/people-import/advance-import.ts';
import { countRefused, type Outcomes } from '../domain/people-import/judge-rows.ts';
import {
  isInPass,
  type NewPeopleImport,
  type PeopleImport,
  type PeopleImportStore,
} from '../domain/people-import/people-import.ts';
import { TooManyRows } from '../domain/people-import/read-upload.ts';
import { refusedRowsCsv } from './refused-rows-csv.ts';

/** How a client says that a file is to be read. */
export interface GivenForm {
  readonly delimiter?: string | undefined;
  readonly encoding?: PeopleImport['encoding'] | undefined;
}

export interface PeopleImportPorts {
  readonly imports: PeopleImportStore;
  /** Reads and stores an upload; `turnedAway` if too many are being read. Throws FileFault and TooManyRows. */
  readonly receive: (
    record: Omit<NewPeopleImport, 'fileHash' | 'createdAt' | 'deletedAt'>,
    octets: AsyncIterable<Uint8Array>,
    form: GivenForm,
  ) => Promise<ReceivedUpload>;
  readonly begin: (request: PassRequest) => Promise<PassOutcome>;
  readonly cancel: (
    accountId: PeopleImport['accountId'],
    importId: PeopleImport['importId'],
  ) => Promise<PeopleImport | null>;
  readonly follow: Follow;
}

export type ReceivedUpload =
  | { readonly kind: 'created'; readonly record: PeopleImport }
  | { readonly kind: 'keyReused' | 'tooMany' | 'turnedAway' };

/** Imports of an account's own people. */
export function peopleImportHandlers({ imports, receive, begin, cancel, follow }: PeopleImportPorts) {
  async function found(params: {
    readonly accountId: PeopleImport['accountId'];
    readonly import_id: PeopleImport['importId'];
  }): Promise<PeopleImport> {
    return orNotFound(await imports.findOf(params.accountId, params.import_id));
  }
  return {
    async createPeopleImport({ params: { accountId, callerId: createdBy }, query, body }, context) {
      const { name, ...form } = query;
      const key = readRequestKey(createPeopleImport, accountId, null, context);
      const importId = key ? idOfKey('peopleImport', accountId, key.hash) : newId('peopleImport');
      const record = { importId, accountId, createdBy, name: name ?? 'Imported people' };
      const received = await orFileProblem(receive(record, body, form));
      switch (received.kind) {
        case 'created':
          return importAnswer(received.record);
        case 'keyReused':
          throw new Problem('idempotency_key_reused');
        case 'tooMany':
          throw new Problem('too_many_people_imports', {
            detail: `At most ${limits.waitingPeopleImportsMax} imports can wait to be started.`,
          });
        case 'turnedAway':
          throw unavailable('Too many uploads are in progress right now.');
      }
    },

    async listPeopleImports({ params: { accountId }, query }) {
      const page = await imports.list(accountId, query);
      return { imports: page.imports.map(importAnswer), next_cursor: page.nextCursor };
    },

    getPeopleImport: async ({ params }) => importAnswer(await found(params)),

    async followPeopleImport({ params }, context) {
      await found(params);
      return follow(params.accountId, context, {
        find: () => imports.findOf(params.accountId, params.import_id),
        hasEnded: record => !isInPass(record),
        event: 'import',
        answer: importAnswer,
      });
    },

    async previewPeopleImport({ params: { accountId, import_id: importId }, body: { mapping } }) {
      const request = { accountId, importId, mapping: columnsOf(mapping), listId: null };
      return importAnswer(begunOrProblem(await begin({ ...request, state: 'previewing' })));
    },

    async startPeopleImport({ params: { accountId, import_id: importId }, body }) {
      const { mapping, list_id: listId = null } = body;
      const request = { accountId, importId, mapping: columnsOf(mapping), listId };
      return importAnswer(begunOrProblem(await begin({ ...request, state: 'importing' })));
    },

    cancelPeopleImport: async ({ params }) =>
      importAnswer(orNotFound((await cancel(params.accountId, params.import_id)) ?? undefined)),

    async downloadRefusedPeople({ params }, { setHeader }) {
      const { importNo } = await found(params);
      setHeader('content-disposition', 'attachment; filename="refused-rows.csv"');
      return refusedRowsCsv((after, rowsMax) => imports.refusals(importNo, after, rowsMax));
    },

    async deletePeopleImport({ params: { accountId, import_id: importId } }) {
      const outcome = await imports.delete(accountId, importId);
      if (outcome !== 'deleted') {
        throw new Problem(outcome === 'underWay' ? 'people_import_under_way' : 'people_import_not_found');
      }
      return { import_id: importId };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

async function orFileProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FileFault) {
      throw new Problem('file_not_readable', { detail: error.message, cause: error });
    }
    if (error instanceof TooManyRows) {
      const detail = `A file can have at most ${limits.peopleImportRowsMax.toLocaleString('en')} rows.`;
      throw new Problem('too_many_rows', { detail, cause: error });
    }
    throw error;
  }
}

function orNotFound(record: PeopleImport | undefined): PeopleImport {
  if (!record) {
    throw new Problem('people_import_not_found');
  }
  return record;
}

/** A mapping without fields that the client left undefined. */
function columnsOf(
  mapping: Readonly<Partial<Record<PeopleImportField, string>>> | undefined,
): PassRequest['mapping'] {
  return mapping && Object.fromEntries(Object.entries(mapping).filter(([, column]) => column !== undefined));
}

function begunOrProblem(outcome: PassOutcome): PeopleImport {
  switch (outcome.kind) {
    case 'begun':
      return outcome.record;
    case 'notFound':
      throw new Problem('people_import_not_found');
    case 'notWaiting':
      throw new Problem('people_import_not_waiting');
    case 'tooMany':
      throw new Problem('too_many_people_imports', {
        detail: 'Another import of the account is being previewed or imported.',
      });
    case 'noList':
      throw new Problem('saved_list_not_found');
    case 'notValid':
      throw new Problem('people_mapping_not_valid', { detail: outcome.detail });
  }
}

/** An import as the API returns it. */
function importAnswer(record: PeopleImport): PeopleImportAnswer {
  const { state, failure, outcomes, preview } = record;
  const fieldOf = new Map(Object.entries(record.detected).map(([field, column]) => [column, field]));
  const hasResult = !['uploaded', 'previewing', 'previewed'].includes(state) && record.rowsDone > 0;
  const shownPreview = state === 'previewing' ? outcomes : preview;
  return {
    import_id: record.importId,
    name: record.name,
    state,
    format: record.format,
    encoding: record.encoding,
    encoding_is_guess: record.encodingIsGuess,
    layout: record.layout,
    columns: record.columns.map(({ name, examples, holdsAddresses }) => ({
      name,
      examples: [...examples],
      field: (fieldOf.get(name) as PeopleImportField | undefined) ?? null,
      holds_addresses: holdsAddresses,
    })),
    mapping: record.mapping,
    rows: record.rowsTotal,
    list_id: record.listId,
    progress: isInPass(record) ? record.rowsDone / record.rowsTotal : state === 'uploaded' ? 0 : 1,
    preview: shownPreview && outcomesAnswer(shownPreview),
    result: hasResult || state === 'succeeded' ? outcomesAnswer(outcomes) : null,
    failure: failure === null ? null : { reason: failure, detail: peopleImportFailures[failure] },
    created_by: record.createdBy,
    created_at: record.createdAt.toISOString(),
    ended_at: record.endedAt?.toISOString() ?? null,
    deleted_at: record.deletedAt.toISOString(),
    version: record.version,
  };
}

function outcomesAnswer(outcomes: Outcomes): PeopleImportOutcomes {
  const { added, changed, unchanged, savedBefore, refused, blank } = outcomes;
  const refusals = Object.entries(refused).map(([name, { rows, lines }]) => {
    const reason = name as PeopleImportRefusal;
    return { reason, detail: peopleImportRefusals[reason], rows, lines: [...lines] };
  });
  return {
    added,
    changed,
    unchanged,
    saved_before: savedBefore,
    refused: countRefused(outcomes),
    refusals,
    left_blank: Object.entries(blank).map(([field, rows]) => ({ field: field as PeopleImportField, rows })),
  };
}
