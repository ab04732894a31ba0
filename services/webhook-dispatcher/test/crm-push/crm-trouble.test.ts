import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CrmFault, WriteInterrupted } from '../../src/domain/crm/crm.ts';
import { createKeptCrm } from '../../src/domain/crm/testing/kept-crm.ts';
import { actionsOf, type CrmPushes, openCrmPushes, people, properties } from './push-world.ts';

let pushes: CrmPushes;

beforeAll(async () => {
  pushes = await openCrmPushes();
});

afterAll(() => pushes?.close());

describe('a CRM that rejects or fails a request', () => {
  it('is tried three times for a row that may go well later, and the row is then given up', async () => {
    const crm = createKeptCrm(properties);
    const tried = new Map<number, number>();
    crm.refuses = ({ rowNo }) => {
      tried.set(rowNo, (tried.get(rowNo) ?? 0) + 1);
      const isLocked = rowNo === 2 || (rowNo === 3 && tried.get(3) === 1);
      const fault = { code: 'locked', property: null } as const;
      return isLocked ? { rowNo, outcome: 'failed', fault, isTransient: true } : undefined;
    };
    const push = await pushes.world(people(4), crm);
    expect(actionsOf(await push.run())).toEqual({ created: 3, updated: 0, skipped: 0, failed: 1 });
    expect(Object.fromEntries(tried)).toEqual({ 1: 1, 2: 3, 3: 2, 4: 1 });
    expect((await push.rows({ state: 'failed' }))[0]).toMatchObject({ attempts: 3, fault: 'crm_locked' });
  });

  it('is waited for when it is asked too much, which is no attempt of any row', async () => {
    const crm = createKeptCrm(properties);
    const answers = [new CrmFault('throttled', 7_000), new CrmFault('throttled'), new CrmFault('exhausted')];
    crm.fails = (call, when) => (call === 'write' && when === 'before' ? answers.shift() : undefined);
    const push = await pushes.world(people(150), crm);
    const from = push.clock.ms;
    const ended = await push.run();
    expect(ended).toMatchObject({ status: 'succeeded', rowsCreated: 150, throttled: 3 });
    expect(push.clock.ms - from).toBeGreaterThanOrEqual(7_000 + 2_000 + 900_000);
    expect(push.pauses).toEqual(['receiver_asked', 'receiver_asked', 'receiver_asked']);
    expect((await push.rows()).every(({ attempts }) => attempts === 1)).toBe(true);
  });

  it('is waited for during a call, too, and by row', async () => {
    const crm = createKeptCrm(properties);
    const { write } = crm;
    let calls = 0;
    crm.write = async (object, writes, signal) => {
      calls += 1;
      if (calls > 1) {
        return write(object, writes, signal);
      }
      const results = await write(object, writes.slice(0, 50), signal);
      throw new WriteInterrupted(new CrmFault('throttled', 7_000), results);
    };
    const tried = new Set<number>();
    crm.refuses = ({ rowNo }) => {
      const isFirst = !tried.has(rowNo) && rowNo > 100;
      tried.add(rowNo);
      const fault = { code: 'refused', property: null } as const;
      return isFirst ? { rowNo, outcome: 'failed', fault, isTransient: true } : undefined;
    };
    const push = await pushes.world(people(150), crm);
    expect(await push.run()).toMatchObject({ status: 'succeeded', rowsCreated: 150, throttled: 1 });
    expect((await push.rows()).every(({ rowNo, attempts }) => attempts === (rowNo > 100 ? 2 : 1))).toBe(true);
  });

  it('that is away for long, for every request, costs no row an attempt', async () => {
    const crm = createKeptCrm(properties);
    const push = await pushes.world(people(30), crm);
    const untilMs = push.clock.ms + 3_000_000;
    crm.fails = () => (push.clock.ms < untilMs ? new CrmFault('away') : undefined);
    expect(await push.run()).toMatchObject({ status: 'succeeded', rowsCreated: 30 });
    expect(push.pauses.length).toBeGreaterThan(10);
    expect((await push.rows()).every(({ attempts }) => attempts === 1)).toBe(true);
  });

  it('that another user connects, who does not see our property, is asked to show it', async () => {
    const crm = createKeptCrm(properties);
    const { ensureOwnKey } = crm;
    let isSeen = true;
    crm.ensureOwnKey = async (object, signal) => {
      await ensureOwnKey(object, signal);
      isSeen = true;
    };
    crm.fails = call => (call === 'find' && !isSeen ? new CrmFault('not_found') : undefined);
    const push = await pushes.world(people(150), crm);
    await push.step();
    await push.step();
    isSeen = false;
    expect(await push.run()).toMatchObject({ status: 'succeeded', rowsCreated: 150 });
    const other = await pushes.world(people(160), crm);
    isSeen = false;
    expect(await other.run()).toMatchObject({ status: 'succeeded', rowsCreated: 10 });
    crm.ensureOwnKey = async () => undefined;
    const third = await pushes.world(people(170), crm);
    isSeen = false;
    expect(await third.run()).toMatchObject({ status: 'failed', failure: 'mapping_not_valid' });
  });

  it('is not hammered while it is away, and no row is lost by it', async () => {
    const crm = createKeptCrm(properties);
    let awayUntilMs = 0;
    const push = await pushes.world(people(150), crm);
    crm.fails = () => (push.clock.ms < awayUntilMs ? new CrmFault('away') : undefined);
    await push.step();
    await push.step();
    awayUntilMs = push.clock.ms + 60_000;
    const calls = crm.calls.length;
    const ended = await push.run();
    expect(ended).toMatchObject({ status: 'succeeded', rowsCreated: 150, rowsFailed: 0 });
    expect(push.pauses.length).toBeLessThanOrEqual(5);
    expect(crm.calls.length - calls).toBeLessThan(30);
  });

  it('that fails for only one row does not block the others permanently', async () => {
    const crm = createKeptCrm(properties);
    crm.fails = (call, when, writes) =>
      call === 'write' && when === 'before' && writes.some(({ rowNo }) => rowNo === 5)
        ? new CrmFault('away')
        : undefined;
    const ended = await (await pushes.world(people(150), crm)).run();
    expect(actionsOf(ended)).toEqual({ created: 149, updated: 0, skipped: 0, failed: 1 });
  });

  it('that refuses a call as a whole is asked for less, down to the row that it refuses', async () => {
    const crm = createKeptCrm(properties);
    crm.fails = (call, when, writes) =>
      call === 'write' && when === 'before' && writes.some(({ rowNo }) => rowNo === 42)
        ? new CrmFault('refused')
        : undefined;
    const push = await pushes.world(people(100), crm);
    expect(actionsOf(await push.run())).toEqual({ created: 99, updated: 0, skipped: 0, failed: 1 });
    expect((await push.rows({ state: 'failed' }))[0]).toMatchObject({ rowNo: 42, fault: 'crm_refused' });
    expect(crm.calls.filter(({ call }) => call === 'write').length).toBeLessThan(16);
  });

  it('that refuses row after row ends the push', async () => {
    const crm = createKeptCrm(properties);
    crm.fails = (call, when) => (call === 'write' && when === 'before' ? new CrmFault('refused') : undefined);
    const ended = await (await pushes.world(people(300), crm)).run();
    expect(ended).toMatchObject({ status: 'failed', failure: 'mapping_not_valid', rowsFailed: 100 });
  });

  it('that revokes our access is waited for until a user connects it again', async () => {
    const crm = createKeptCrm(properties);
    let isRevoked = false;
    crm.fails = () => (isRevoked ? new CrmFault('revoked') : undefined);
    const push = await pushes.world(people(150), crm);
    await push.step();
    await push.step();
    isRevoked = true;
    for (let looks = 0; looks < 500; looks++) {
      if ((await push.step()) === 'waits') {
        push.clock.ms += 300_001;
      }
    }
    const paused = await push.find();
    expect(paused).toMatchObject({ status: 'running', rowsCreated: 100, rowsFailed: 0, pausedMs: 0 });
    expect(new Set(push.pauses)).toEqual(new Set(['access_revoked']));
    isRevoked = false;
    expect(await push.run()).toMatchObject({ status: 'succeeded', rowsCreated: 150 });
  });

  it('that is disconnected ends the push, and so does a property that is gone', async () => {
    const disconnected = await pushes.world(people(5), createKeptCrm(properties));
    disconnected.connection.isThere = false;
    expect(await disconnected.run()).toMatchObject({ status: 'failed', failure: 'connection_gone' });
    const crm = createKeptCrm(properties);
    const push = await pushes.world(people(5), crm);
    crm.properties = async () => properties.slice(1);
    expect(await push.run()).toMatchObject({ status: 'failed', failure: 'mapping_not_valid' });
    expect(crm.records.size).toBe(0);
  });

  it('that makes the push wait for too long in all ends it', async () => {
    const crm = createKeptCrm(properties);
    const push = await pushes.world(people(5), crm, { pausedMsMax: 60_000 });
    crm.fails = () => new CrmFault('throttled', 30_000);
    expect(await push.run()).toMatchObject({ status: 'failed', failure: 'paused_too_long' });
  });
});
