import { startSweep } from '@mailproof/durable-work/postgres';
import {
  createFairTurns,
  createFollow,
  isUnavailable,
  type Recurring,
  startRecurring,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { type AccountId, limits, runPeopleImportJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { takeUpload } from '../adapters/files/open-upload.ts';
import { createPeopleImportStore } from '../adapters/postgres/people-import-store.ts';
import type { Config } from '../config.ts';
import { beginPass, cancelImport } from '../domain/people-import/advance-import.ts';
import { readUpload } from '../domain/people-import/read-upload.ts';
import type { Events } from '../events.ts';
import { type PeopleImportPorts, peopleImportHandlers } from '../http/people-imports.ts';
import { runPeopleImportHandler } from '../workers/run-people-import.ts';

interface PeopleImportsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly now: () => Date;
}

/** Imports of accounts' own people (ADR 0088). */
interface PeopleImports {
  readonly handlers: ReturnType<typeof peopleImportHandlers>;
  readonly jobs: readonly OutboxJob[];
  start(): void;
  /** Ends clients' streams and running passes, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

/** How many uploads one process receives at once, of all accounts and of one, and how many of them it reads at once. */
const uploadsAtOnceMax = 6;
const uploadsOfAccountMax = 2;
const readAtOnceMax = 1;
/** How many imports one process has in a pass, and how many parts it takes at once. */
const importsAtOnceMax = 50;
const partsAtOnceMax = 2;
const deleteEveryMs = 600_000;

export function composePeopleImports({ config, pool, events, now }: PeopleImportsOptions): PeopleImports {
  const imports = createPeopleImportStore(pool, { suppressionKey: config.SUPPRESSION_HASH_KEY });
  const ports = { imports, events, now };
  const stopping = new AbortController();
  const recurring: Recurring[] = [];
  return {
    handlers: peopleImportHandlers({
      imports,
      receive: createReceive(imports, now),
      begin: request => beginPass(ports, request),
      cancel: (accountId, importId) => cancelImport(ports, accountId, importId),
      follow: createFollow({ stopping: stopping.signal, now }),
    }),
    jobs: [
      outboxJob(
        runPeopleImportJob,
        importsAtOnceMax,
        runPeopleImportHandler({
          ports,
          turns: createFairTurns(partsAtOnceMax, 1, 'import people'),
          isUnavailable,
          stopping: stopping.signal,
        }),
      ),
    ],
    start() {
      recurring.push(
        startSweep({
          store: imports,
          now,
          told: events.peopleImportsSwept,
          onFailed: events.peopleImportSweepFailed,
        }),
        startRecurring({
          everyMs: deleteEveryMs,
          work: () => imports.deleteOutdated(now()),
          onFailed: events.peopleImportSweepFailed,
        }),
      );
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await Promise.all(recurring.map(each => each.close()));
    },
  };
}

/** Receives uploads: the octets at the pace of their senders, then the rows of one file at a time. */
function createReceive(
  imports: ReturnType<typeof createPeopleImportStore>,
  now: () => Date,
): PeopleImportPorts['receive'] {
  const turns = createFairTurns(readAtOnceMax, 1, 'read people');
  /** The account of each upload. */
  const uploads = new Set<{ readonly accountId: AccountId }>();
  return async (record, octets, form) => {
    const ofAccount = [...uploads].filter(({ accountId }) => accountId === record.accountId);
    if (ofAccount.length >= uploadsOfAccountMax || uploads.size >= uploadsAtOnceMax) {
      return { kind: 'turnedAway' };
    }
    const slot = { accountId: record.accountId };
    uploads.add(slot);
    try {
      const upload = await takeUpload(octets);
      try {
        const createdAt = now();
        const deletedAt = new Date(createdAt.getTime() + limits.peopleImportWaitsMs);
        const stored = { ...record, fileHash: upload.sha256, createdAt, deletedAt };
        const delimiter = form.delimiter === 'tab' ? '\t' : form.delimiter;
        const created = await turns.take(record.accountId, async () =>
          imports.create(stored, readUpload(await upload.open({ ...form, delimiter }))),
        );
        return created.kind === 'tooMany'
          ? created
          : upload.sha256.equals(created.record.fileHash)
            ? { kind: 'created', record: created.record }
            : { kind: 'keyReused' };
      } finally {
        await upload.close();
      }
    } finally {
      uploads.delete(slot);
    }
  };
}
