import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Problem } from '@mailproof/service-kit';
import { newId } from '@mailproof/shared-types';
import { cancelImport } from '../../src/domain/crm/imports/end-import.ts';
import type { ImportPorts } from '../../src/domain/crm/imports/import-ports.ts';
import { hourMs, type Imports, openImports } from './import-world.ts';

let imports: Imports;

beforeAll(async () => {
  imports = await openImports();
});

afterAll(() => imports?.close());

/** Ports with which a worker dies before or after its n-th external call. */
function mortal(ports: ImportPorts, dies: { readonly at: number; readonly isBehind: boolean }): ImportPorts {
  let steps = 0;
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        return typeof member !== 'function'
          ? member
          : async (...args: unknown[]) => {
              steps += 1;
              if (steps > dies.at || (steps === dies.at && !dies.isBehind)) {
                throw new Error('killed');
              }
              const result: unknown = await Reflect.apply(member, target, args);
              if (steps >= dies.at) {
                throw new Error('killed');
              }
              return result;
            };
      },
    });
  const { imports, jobs, lists, writeBacks } = ports;
  return {
    ...ports,
    imports: guarded(imports),
    jobs: guarded(jobs),
    lists: guarded(lists),
    writeBacks: guarded(writeBacks),
  };
}

describe('an import', () => {
  it('continues from any step at which its worker died, and leaves one job', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      for (const isBehind of [false, true]) {
        const { begin, ports, handlerOf, work, jobs, jobOf } = imports.world(120);
        const record = await begin();
        const died = await handlerOf(mortal(ports, { at, isBehind }))({ importId: record.importId }).then(
          () => false,
          () => true,
        );
        const after = await work(record);
        expect([at, isBehind, after.state, after.recordsRead]).toEqual([at, isBehind, 'succeeded', 120]);
        expect([jobs.jobs.size, jobOf(after).rows.length]).toEqual([1, 120]);
        isOver = !died;
      }
      expect(at).toBeLessThan(50);
    }
  });

  it('into a list continues from any step at which its worker died, with exact counts', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      for (const isBehind of [false, true]) {
        const { begin, ports, handlerOf, work, jobs, list, intoList, crm } = imports.world(120);
        for (const [index, one] of crm.records.entries()) {
          crm.records[index] = { ...one, values: { email: `p@c${index % 2}.example` } };
        }
        crm.records.push({ recordId: '2000', values: { email: 'p@many.example' } });
        list.domains.set('many.example', null);
        const record = await begin(intoList);
        const died = await handlerOf(mortal(ports, { at, isBehind }))({ importId: record.importId }).then(
          () => false,
          () => true,
        );
        expect([at, isBehind, await work(record)]).toMatchObject([
          at,
          isBehind,
          { state: 'succeeded', recordsRead: 121, domainsAdded: 2, domainsPresent: 1 },
        ]);
        expect([jobs.jobs.size, list.domains.size]).toEqual([0, 3]);
        isOver = !died;
      }
      expect(at).toBeLessThan(50);
    }
  });

  it('has one worker: the first stops at its next page when a second one comes', async () => {
    const { begin, work, handlerOf, ports, jobs, crm } = imports.world(350);
    const record = await begin();
    let second: Promise<unknown> | undefined;
    const page = crm.page;
    crm.page = async (...args) => {
      if (second === undefined && args[2].after === '1099') {
        second = handlerOf(ports)({ importId: record.importId });
        await second;
      }
      return page(...args);
    };
    const after = await work(record);
    expect([after.state, jobs.jobs.size, after.recordsRead]).toEqual(['succeeded', 1, 350]);
    // The first worker read two pages, the second four.
    expect(crm.asked).toHaveLength(6);
  });

  it('waits for an engine that is away, and is given up after a day', async () => {
    const { begin, work, find, jobs, clock } = imports.world(1);
    const record = await begin();
    jobs.fails = () => new Problem('service_unavailable');
    for (let tries = 0; tries < 8; tries += 1) {
      await expect(work(record)).rejects.toBeInstanceOf(Problem);
    }
    expect((await find(record)).endedAt).toBeNull();
    clock.ms += 25 * hourMs;
    await expect(work(record)).rejects.toBeInstanceOf(Problem);
    expect(await find(record)).toMatchObject({
      state: 'failed',
      failure: 'could_not_continue',
      isStopping: true,
    });
    // Its running work is stopped as soon as possible.
    jobs.fails = () => undefined;
    expect(await work(record)).toMatchObject({ isStopping: false });
  });

  it('that is canceled while it reads stops at its next page, and leaves no job', async () => {
    const { begin, find, handlerOf, ports, jobs, crm, accountId } = imports.world(350);
    const record = await begin();
    const page = crm.page;
    crm.page = async (...args) => {
      if (args[2].after === '1099') {
        await cancelImport(ports, accountId, record.importId);
      }
      return page(...args);
    };
    await handlerOf(ports)({ importId: record.importId });
    expect(await find(record)).toMatchObject({ state: 'cancelled', isStopping: false, failure: null });
    expect([jobs.jobs.size, crm.asked.length]).toEqual([0, 2]);
  });

  it('that is canceled before it reads never reads, and stays canceled', async () => {
    const { begin, work, ports, crm, accountId, state } = imports.world(1);
    const record = await begin();
    await cancelImport(ports, accountId, record.importId);
    expect(await cancelImport(ports, accountId, record.importId)).toMatchObject({ state: 'cancelled' });
    expect(await cancelImport(ports, newId('account'), record.importId)).toBeUndefined();
    expect(await work(record)).toMatchObject({ state: 'cancelled' });
    expect([crm.asked.length, state.ended]).toEqual([0, ['cancelled']]);
  });
});
