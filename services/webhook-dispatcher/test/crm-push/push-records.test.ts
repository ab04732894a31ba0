import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CrmFieldPolicy, CrmProperty } from '@mailproof/shared-types';
import { ownKeyProperty } from '../../src/domain/crm/crm.ts';
import { createKeptCrm, property } from '../../src/domain/crm/testing/kept-crm.ts';
import {
  actionsOf,
  type Cells,
  type CrmPushes,
  content,
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

describe('a push to a CRM', () => {
  it('creates, updates and skips, and a second push of the same rows has nothing to do', async () => {
    const crm = crmWithThree();
    const first = await (await pushes.world(people(250), crm)).run();
    expect(first).toMatchObject({ status: 'succeeded', rowsDelivered: 250 });
    expect(actionsOf(first)).toEqual({ created: 247, updated: 2, skipped: 1, failed: 0 });
    expect(crm.records.size).toBe(250);
    const before = content(crm);
    const second = await (await pushes.world(people(250), crm)).run();
    expect(actionsOf(second)).toEqual({ created: 0, updated: 0, skipped: 250, failed: 0 });
    expect(content(crm)).toEqual(before);
  });

  it.each<CrmFieldPolicy>(['overwrite', 'fill_blank', 'never'])(
    'does by policy %s what its dry run said it would',
    async policy => {
      const rows = [...people(20), person(4), ['X', 'CEO', 'ten', 'x@x.example'] as Cells, [...person(1)]];
      const crm = crmWithThree();
      const before = content(crm);
      const dry = await pushes.world(rows, crm, { dryRun: true, policy });
      const would = await dry.run();
      expect(content(crm)).toEqual(before);
      expect(crm.calls.some(({ call }) => call === 'write' || call === 'ensureOwnKey')).toBe(false);
      const real = await pushes.world(rows, crm, { policy });
      expect(actionsOf(await real.run())).toEqual(actionsOf(would));
      const said = (await dry.rows()).map(({ action, fault }) => [action, fault]);
      expect((await real.rows()).map(({ action, fault }) => [action, fault])).toEqual(said);
      expect(would.rowsCreated).toBe(17);
      expect(would.rowsFailed).toBe(1);
    },
  );

  it('writes each thing once where rows mean the same, with any values', async () => {
    const twin = (title: string): Cells => ['Person 1', title, 1, ' PERSON.1@ordinary.example'];
    const rows = [...people(120), twin('CTO'), twin('CFO')];
    const crm = createKeptCrm(properties);
    const push = await pushes.world(rows, crm);
    expect(actionsOf(await push.run())).toEqual({ created: 120, updated: 0, skipped: 2, failed: 0 });
    expect(crm.records.size).toBe(120);
    const [skipped] = await push.rows({ action: 'skipped' });
    expect(skipped).toMatchObject({ rowNo: 121, fault: 'crm_same_record' });
    expect(await push.marks()).toBe(0);
  });

  it('takes the second of two rows that mean the same when the first is given up', async () => {
    const crm = createKeptCrm(properties);
    crm.refuses = ({ rowNo }) =>
      rowNo === 1
        ? {
            rowNo,
            outcome: 'failed',
            fault: { code: 'invalid_value', property: 'score' },
            isTransient: false,
          }
        : undefined;
    const push = await pushes.world([person(1), ['Person 1', 'CTO', 2, 'person.1@ordinary.example']], crm);
    expect(actionsOf(await push.run())).toEqual({ created: 1, updated: 0, skipped: 0, failed: 1 });
    expect(content(crm)).toMatchObject([{ jobtitle: 'CTO' }]);
    expect((await push.rows({ state: 'failed' }))[0]?.fault).toBe('crm_invalid_value: score');
  });

  it('gives up what cannot be written, row by row, and says what and why', async () => {
    const crm = createKeptCrm([
      ...properties.slice(0, 2),
      property('jobtitle', { characters_max: 3 }),
      properties[3] as CrmProperty,
    ]);
    const rows: Cells[] = [
      person(1),
      ['', 'CEO', 1, 'a@ordinary.example'],
      ['A', 'Chief', 1, 'b@ordinary.example'],
      ['B', 'CEO', 'many', 'c@ordinary.example'],
      ['C', 'CEO', 1, 'no address'],
      ['D', 'CEO', 1, null],
    ];
    const push = await pushes.world(rows, crm);
    expect(actionsOf(await push.run())).toEqual({ created: 1, updated: 0, skipped: 0, failed: 5 });
    expect((await push.rows({ state: 'failed' })).map(({ fault }) => fault)).toEqual([
      'crm_missing_value: lastname',
      'crm_too_long: jobtitle',
      'crm_invalid_value: score',
      'crm_no_key',
      'crm_no_key',
    ]);
  });

  it('creates none where it is not to', async () => {
    const crm = crmWithThree();
    const push = await pushes.world(people(10), crm, { creates: false });
    expect(actionsOf(await push.run())).toEqual({ created: 0, updated: 2, skipped: 8, failed: 0 });
    expect(crm.records.size).toBe(3);
    expect((await push.rows({ action: 'skipped' }))[1]?.fault).toBe('crm_no_record');
  });

  it('matches rows by the ids that an import brought along, and by nothing else', async () => {
    const crm = createKeptCrm(properties);
    const { recordId } = crm.add({ email: 'old@ordinary.example', lastname: 'Old' });
    const rows: Cells[] = [
      ['New', recordId, 1, 'new@ordinary.example'],
      ['New', '999', 1, 'old@ordinary.example'],
      ['New', null, 1, 'old@ordinary.example'],
    ];
    const push = await pushes.world(rows, crm, { recordIdColumn: 'title' });
    expect(actionsOf(await push.run())).toEqual({ created: 0, updated: 1, skipped: 0, failed: 2 });
    expect(content(crm)).toMatchObject([{ email: 'new@ordinary.example', lastname: 'New' }]);
    expect((await push.rows({ state: 'failed' })).map(({ fault }) => fault)).toEqual([
      'crm_gone',
      'crm_no_key',
    ]);
  });
});

describe('a process that dies', () => {
  it.each(['before', 'after'] as const)(
    '%s a write leaves neither a duplicate nor a wrong count',
    async moment => {
      const crm = crmWithThree();
      let writes = 0;
      crm.fails = (call, when) => {
        if (call === 'write' && when === moment && ++writes === 1) {
          throw new Error('killed');
        }
        return undefined;
      };
      const push = await pushes.world(people(150), crm);
      await expect(push.run()).rejects.toThrow('killed');
      push.dies();
      const ended = await push.run();
      expect(actionsOf(ended)).toEqual({ created: 147, updated: 2, skipped: 1, failed: 0 });
      expect(crm.records.size).toBe(150);
      const { undo } = await push.undo();
      expect(undo).toMatchObject({ status: 'succeeded', records: 147, removed: 147, failed: 0 });
      expect([...crm.records.keys()]).toEqual(['101', '102', '103']);
    },
  );
});

it('records that are found by what they are keep the key that they have, or have none', async () => {
  const crm = crmWithThree();
  await (await pushes.world(people(5), crm)).run();
  const keys = content(crm).map(values => values[ownKeyProperty] ?? null);
  expect(keys).toEqual([null, null, null, 'person.4@ordinary.example', 'person.5@ordinary.example']);
});
