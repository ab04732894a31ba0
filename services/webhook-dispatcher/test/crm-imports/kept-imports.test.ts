import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { deleteOutdatedImports } from '../../src/domain/crm/imports/end-import.ts';
import { type Imports, openImports, writeBack } from './import-world.ts';

let imports: Imports;

beforeAll(async () => {
  imports = await openImports();
});

afterAll(() => imports?.close());

describe('the imports of an account', () => {
  it('are listed page by page, the newest first, by their state and connection, and only for their account', async () => {
    const { begin, work, accountId } = imports.world(1);
    const [first, second, third] = [await work(await begin()), await work(await begin()), await begin()];
    const page = await imports.store.list(accountId, { limit: 2 });
    expect(page.imports.map(({ importId }) => importId)).toEqual([third.importId, second.importId]);
    const rest = await imports.store.list(accountId, { limit: 2, cursor: page.nextCursor });
    expect([rest.imports.map(({ importId }) => importId), rest.nextCursor]).toEqual([
      [first.importId],
      undefined,
    ]);
    const ended = await imports.store.list(accountId, {
      limit: 9,
      state: 'succeeded',
      connectionId: first.connectionId,
    });
    expect(ended.imports.map(({ importId }) => importId)).toEqual([first.importId]);
    expect((await imports.store.list(newId('account'), { limit: 9 })).imports).toEqual([]);
    expect(await imports.store.findOf(newId('account'), first.importId)).toBeUndefined();
  });

  it('are deleted when they have ended, when their time is over, and with the account', async () => {
    const { begin, work, accountId, clock } = imports.world(1);
    const [ended, other] = [await work(await begin()), await begin()];
    expect(await imports.store.delete(newId('account'), ended.importId)).toBe('notFound');
    expect(await imports.store.delete(accountId, other.importId)).toBe('active');
    expect(await imports.store.delete(accountId, ended.importId)).toBe('deleted');
    expect(await imports.store.delete(accountId, ended.importId)).toBe('notFound');
    const stranger = imports.world(1);
    const kept = await stranger.begin();
    expect(await imports.store.deleteOfAccount(accountId)).toBe(1);
    expect(await imports.store.find(kept.importId)).toBeDefined();
    expect(await imports.store.deleteOutdated(new Date(clock.ms))).toBe(0);
    stranger.clock.ms += 2e9;
    await deleteOutdatedImports(stranger.ports);
    expect(await imports.store.find(kept.importId)).toBeUndefined();
  });

  it('are all deleted when they expire, and running work is stopped before that', async () => {
    const { begin, work, find, jobOf, ports, clock } = imports.world(1);
    const running = await work(await begin({ ...writeBack, start_when_ready: true, credits_max: 9 }));
    expect([running.state, jobOf(running).state]).toEqual(['validating', 'running']);
    const { rows } = await imports.pool.query<{ import_id: string }>(
      `INSERT INTO crm_import (import_id, account_id, created_by, request_id, connection_id, name, request, columns,
         records_total, created_at, moved_at, ended_at, state, deleted_at)
       SELECT 'crmimp_' || lpad(n::text, 32, '0'), account_id, created_by, request_id, connection_id, name, request,
         columns, 1, created_at, moved_at, created_at, 'cancelled', deleted_at
       FROM crm_import, generate_series(1, 250) n WHERE import_id = $1 RETURNING import_id`,
      [running.importId],
    );
    clock.ms += 2e9;
    expect(await deleteOutdatedImports(ports)).toBeGreaterThanOrEqual(rows.length);
    expect(await find(running)).toMatchObject({ state: 'cancelled', isStopping: true });
    expect(jobOf(await work(running)).state).toBe('cancelled');
    expect(await deleteOutdatedImports(ports)).toBe(1);
    expect(await imports.store.find(running.importId)).toBeUndefined();
  });

  it('get a job again if they have none and do not move', async () => {
    const { begin, clock } = imports.world(1);
    const record = await begin();
    const later = new Date(clock.ms + 60_000);
    await imports.pool.query(`DELETE FROM outbox WHERE payload->>'importId' <> $1`, [record.importId]);
    await imports.pool.query('UPDATE crm_import SET moved_at = $1 WHERE import_id <> $2', [
      later,
      record.importId,
    ]);
    expect(await imports.store.sweep(later)).toBe(0);
    await imports.pool.query('UPDATE outbox SET failed_at = now()');
    expect(await imports.store.sweep(new Date(clock.ms))).toBe(0);
    expect(await imports.store.sweep(later)).toBe(1);
    expect(await imports.store.sweep(later)).toBe(0);
  });
});
