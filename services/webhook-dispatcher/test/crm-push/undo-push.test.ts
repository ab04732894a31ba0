import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { CrmFault, ownKeyProperty } from '../../src/domain/crm/crm.ts';
import { advanceUndo, beginUndo, noteUndoFault } from '../../src/domain/crm/push/undo-push.ts';
import { createKeptCrm } from '../../src/domain/crm/testing/kept-crm.ts';
import {
  actionsOf,
  type Cells,
  type CrmPushes,
  crmWithThree,
  openCrmPushes,
  people,
  person,
  properties,
} from './push-world.ts';

let pushes: CrmPushes;

beforeAll(async () => {
  pushes = await openCrmPushes();
});

afterAll(() => pushes?.close());

describe('undoing', () => {
  it('leaves what was there before, can be asked for again, and counts each record once', async () => {
    const crm = crmWithThree();
    const ids = [...crm.records.keys()];
    const push = await pushes.world(people(230), crm);
    await push.run();
    const { undo } = await push.undo();
    expect(undo).toMatchObject({ status: 'succeeded', records: 227, removed: 227, failed: 0 });
    expect([...crm.records.keys()]).toEqual(ids);
    const calls = crm.calls.length;
    expect((await push.undo()).undo).toEqual(undo);
    expect(crm.calls.length).toBe(calls);
  });

  it('leaves alone what has become part of another record, and tries again what failed', async () => {
    const crm = createKeptCrm(properties);
    const old = crm.add({ email: 'old@ordinary.example' });
    const push = await pushes.world(people(3), crm);
    await push.run();
    const [first] = await push.rows();
    crm.merged.set(first?.crmRecordId ?? '', old.recordId);
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 2, failed: 1 });
    expect((await push.rows())[0]).toMatchObject({ undone: 'failed', fault: 'crm_merged' });
    expect(crm.records.has(old.recordId)).toBe(true);
    crm.merged.clear();
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 3, failed: 0 });
  });

  it('continues where it was interrupted, and waits for a CRM that asks it to', async () => {
    const crm = createKeptCrm(properties);
    const push = await pushes.world(people(150), crm);
    await push.run();
    const answers: (CrmFault | 'dies' | undefined)[] = [undefined, 'dies', new CrmFault('throttled', 2_000)];
    crm.fails = call => {
      const answer = call === 'remove' ? answers.shift() : undefined;
      if (answer === 'dies') {
        throw new Error('killed');
      }
      return answer;
    };
    await expect(push.undo()).rejects.toThrow('killed');
    expect((await push.find()).undo).toMatchObject({ status: 'running', removed: 100 });
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', records: 150, removed: 150 });
    expect(crm.records.size).toBe(0);
  });

  it('finds records of a canceled push that a process created but died before recording', async () => {
    const crm = crmWithThree();
    const ids = [...crm.records.keys()];
    crm.fails = (call, when) => {
      if (call === 'write' && when === 'after') {
        throw new Error('killed');
      }
      return undefined;
    };
    const push = await pushes.world(people(20), crm);
    await expect(push.run()).rejects.toThrow('killed');
    crm.fails = () => undefined;
    await pushes.store.change(await push.find(), {
      status: 'failed',
      failure: 'cancelled',
      endedAt: new Date(push.clock.ms),
    });
    expect(crm.records.size).toBe(20);
    // Another program has removed one of them, and the source no longer has one row.
    const [removed] = [...crm.records.values()].slice(-1);
    crm.records.delete(removed?.recordId ?? '');
    push.gone.add('19');
    expect((await push.undo()).undo).toMatchObject({
      ...{ status: 'succeeded', records: 16, removed: 15, failed: 1 },
    });
    push.gone.clear();
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 16, failed: 0 });
    expect([...crm.records.keys()]).toEqual(ids);
  });

  it('waits for the last batch of a canceled push, and deletes the records that it creates', async () => {
    const crm = createKeptCrm(properties);
    const { write } = crm;
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    crm.write = async (...call) => {
      started.resolve();
      await released.promise;
      return write(...call);
    };
    const push = await pushes.world(people(20), crm);
    await push.step();
    const batch = push.step();
    await started.promise;
    const endedAt = new Date(push.clock.ms);
    await pushes.store.change(await push.find(), { status: 'failed', failure: 'cancelled', endedAt });
    await beginUndo(push.undoing, push.accountId, push.exportId);
    const { signal } = new AbortController();
    const trouble = { unavailableInARow: 0, throttledInARow: 0 };
    expect(await advanceUndo(push.undoing, push.exportId, trouble, signal)).toBe('waits');
    released.resolve();
    await batch;
    expect(crm.records.size).toBe(20);
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', records: 20, removed: 20 });
    expect(crm.records.size).toBe(0);
  });

  it('finds no record that was only searched for when the push was canceled', async () => {
    const crm = createKeptCrm(properties);
    const push = await pushes.world(people(20), crm);
    const { find } = crm;
    crm.find = async (...call) => {
      const current = await push.find();
      if (current.status === 'running') {
        const endedAt = new Date(push.clock.ms);
        await pushes.store.change(current, { status: 'failed', failure: 'cancelled', endedAt });
      }
      return find(...call);
    };
    await push.run();
    expect(crm.records.size).toBe(0);
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', records: 0 });
  });

  it('keeps a record that another push created under our key between our read and our write', async () => {
    const crm = createKeptCrm(properties);
    crm.fails = (call, when, writes) => {
      if (call === 'write' && when === 'before' && crm.records.size === 0) {
        crm.add({ email: 'person.1@ordinary.example', [ownKeyProperty]: writes[0]?.ownKey ?? '' });
      }
      return undefined;
    };
    const push = await pushes.world(people(5), crm);
    expect(actionsOf(await push.run())).toEqual({ created: 4, updated: 1, skipped: 0, failed: 0 });
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', records: 4, removed: 4 });
    expect([...crm.records.values()]).toMatchObject([{ values: { email: 'person.1@ordinary.example' } }]);
  });

  it('deletes a record created by a call without a response, for a row that then failed', async () => {
    const crm = createKeptCrm(properties);
    let writes = 0;
    crm.fails = (call, when) =>
      call === 'write' && when === 'after' && ++writes === 1 ? new CrmFault('away') : undefined;
    const rows: Cells[] = [person(1), person(2)];
    const push = await pushes.world(rows, crm);
    await push.step();
    await push.step();
    expect(crm.records.size).toBe(2);
    rows[0] = ['Person 1', 'CFO', 1, 'person.1@ordinary.example'];
    crm.refuses = ({ rowNo }) => {
      const fault = { code: 'invalid_value', property: 'jobtitle' } as const;
      return rowNo === 1 ? { rowNo, outcome: 'failed', fault, isTransient: false } : undefined;
    };
    expect(actionsOf(await push.run())).toEqual({ created: 1, updated: 0, skipped: 0, failed: 1 });
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', records: 2, removed: 2 });
    expect(crm.records.size).toBe(0);
  });

  it('ends with its reason where our access does not reach, and can be asked for again', async () => {
    const crm = createKeptCrm(properties);
    const push = await pushes.world(people(5), crm);
    await push.run();
    crm.fails = call => (call === 'remove' ? new CrmFault('not_permitted') : undefined);
    expect((await push.undo()).undo).toMatchObject({ status: 'failed', failure: 'not_permitted' });
    crm.fails = () => undefined;
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', failure: null, removed: 5 });
  });

  it('gets a job again that was lost, and is given up when it goes wrong again and again', async () => {
    const push = await pushes.world(people(3), createKeptCrm(properties));
    await push.run();
    const { undos } = push.undoing;
    await beginUndo(push.undoing, push.accountId, push.exportId);
    const jobs = async () => {
      const { rows } = await pushes.pool.query(
        "SELECT FROM outbox WHERE job_type = 'webhook-dispatcher.undo-export' AND payload->>'exportId' = $1",
        [push.exportId],
      );
      return rows.length;
    };
    const later = new Date(push.clock.ms + 60_000);
    expect([await jobs(), await undos.sweep(later)]).toEqual([1, 0]);
    await pushes.pool.query("DELETE FROM outbox WHERE payload->>'exportId' = $1", [push.exportId]);
    expect(await undos.sweep(new Date(push.clock.ms))).toBe(0);
    expect([await undos.sweep(later), await jobs()]).toEqual([1, 1]);
    for (let faults = 0; faults < 4; faults++) {
      await noteUndoFault(push.undoing, push.exportId, false);
      await noteUndoFault(push.undoing, push.exportId, true);
    }
    expect((await push.find()).undo?.status).toBe('running');
    await noteUndoFault(push.undoing, push.exportId, false);
    expect((await push.find()).undo).toMatchObject({ status: 'failed', failure: 'could_not_continue' });
    expect((await push.undo()).undo).toMatchObject({ status: 'succeeded', removed: 3 });
  });

  it('is refused for a dry run, for a running push, and for another account', async () => {
    const dry = await pushes.world(people(2), createKeptCrm(properties), { dryRun: true });
    await dry.run();
    expect((await beginUndo(dry.undoing, dry.accountId, dry.exportId)).kind).toBe('not_possible');
    const push = await pushes.world(people(2), createKeptCrm(properties));
    expect((await beginUndo(push.undoing, push.accountId, push.exportId)).kind).toBe('not_possible');
    expect((await beginUndo(push.undoing, newId('account'), push.exportId)).kind).toBe('not_found');
  });
});
