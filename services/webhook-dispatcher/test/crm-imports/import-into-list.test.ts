import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limits, newId } from '@mailproof/shared-types';
import { CrmFault } from '../../src/domain/crm/crm.ts';
import { cancelImport } from '../../src/domain/crm/imports/end-import.ts';
import { hourMs, type Imports, openImports } from './import-world.ts';

let imports: Imports;

beforeAll(async () => {
  imports = await openImports();
});

afterAll(() => imports?.close());

/** A CRM with contacts at these many companies, of whom every tenth is at a free mailbox provider. */
function worldOf(records: number, companies = 5) {
  const world = imports.world(0);
  for (let at = 0; at < records; at += 1) {
    const domain = at % 10 === 9 ? 'gmail.com' : `c${at % companies}.example`;
    world.crm.records.push({ recordId: `${1_000 + at}`, values: { email: `p${at}@${domain}` } });
  }
  return world;
}

describe('an import into a list', () => {
  it('adds each company once, creates no job, and says what it has added', async () => {
    const { begin, work, intoList, list, jobs, crm } = worldOf(250);
    list.domains.set('c1.example', null);
    const record = await work(await begin(intoList));
    expect(record).toMatchObject({
      state: 'succeeded',
      jobId: null,
      recordsTotal: 250,
      recordsRead: 250,
      recordsWithoutDomain: 25,
      domainsAdded: 4,
      domainsPresent: 1,
    });
    expect([...list.domains.keys()].sort()).toEqual([0, 1, 2, 3, 4].map(at => `c${at}.example`));
    expect([jobs.jobs.size, crm.asked]).toEqual([0, [null, '1099', '1199']]);
  });

  it('is refused for a list that is missing, of another account or of people', async () => {
    const { create, intoList, state } = worldOf(1);
    expect(await create({ ...intoList, list_id: newId('savedList') })).toEqual({ kind: 'noSuchList' });
    expect(await create(intoList, { accountId: newId('account') })).toEqual({ kind: 'noConnection' });
    state.list = 'ofPeople';
    expect(await create(intoList)).toEqual({ kind: 'listOfPeople' });
  });

  it.each([
    ['gone', 'list_gone', 0],
    ['full', 'list_full', 0],
  ] as const)('says that the list is %s before it reads, and adds nothing', async (kind, failure, read) => {
    const { begin, work, intoList, list, crm, state } = worldOf(3);
    const record = await begin(intoList);
    state.list = kind;
    expect(await work(record)).toMatchObject({ state: 'failed', failure, isStopping: false });
    expect([list.domains.size, crm.asked.length]).toEqual([0, read]);
  });

  it('adds nothing to a list without room for all', async () => {
    const { begin, work, intoList, list } = worldOf(10);
    list.domainsMax = 4;
    expect(await work(await begin(intoList))).toMatchObject({ state: 'failed', failure: 'list_full' });
    expect(list.domains.size).toBe(0);
  });

  it('fails where no record has a company, or none is left', async () => {
    const { begin, work, intoList, crm } = worldOf(0);
    crm.records.push({ recordId: '1', values: { email: 'ada@gmail.com' } });
    const first = await begin(intoList);
    const second = await begin(intoList);
    expect(await work(first)).toMatchObject({ failure: 'no_domains_found', recordsWithoutDomain: 1 });
    crm.records.length = 0;
    expect(await work(second)).toMatchObject({ failure: 'nothing_to_import' });
  });

  it('fails beyond what one import takes, and when the segment is gone', async () => {
    const { begin, work, intoList, crm } = worldOf(3);
    crm.lists.set('7', new Set(['1000']));
    const ofSegment = await begin({ ...intoList, selection: { segment_id: '7' } });
    const ofAll = await begin(intoList);
    crm.lists.delete('7');
    expect(await work(ofSegment)).toMatchObject({ failure: 'selection_gone' });
    crm.page = async () => ({
      records: Array.from({ length: limits.crmImportRecordsMax + 1 }, () => ({ recordId: '1', values: {} })),
      next: null,
    });
    expect(await work(ofAll)).toMatchObject({ failure: 'too_many_records' });
  });

  it('waits for its CRM and starts over', async () => {
    const { begin, work, workWhenDue, intoList, list, crm } = worldOf(250);
    const faults = [undefined, undefined, new CrmFault('throttled', hourMs)];
    const record = await begin(intoList);
    crm.fails = () => faults.shift();
    expect(await work(record)).toMatchObject({ pauseReason: 'crm_asked', domainsAdded: null });
    expect(list.domains.size).toBe(0);
    expect(await workWhenDue(record)).toMatchObject({
      state: 'succeeded',
      recordsRead: 250,
      recordsWithoutDomain: 25,
      domainsAdded: 5,
    });
  });

  it('that is canceled while it reads leaves the list as it was', async () => {
    const { begin, find, handlerOf, ports, intoList, list, crm, accountId } = worldOf(350);
    const record = await begin(intoList);
    const page = crm.page;
    crm.page = async (...args) => {
      if (args[2].after === '1099') {
        await cancelImport(ports, accountId, record.importId);
      }
      return page(...args);
    };
    await handlerOf(ports)({ importId: record.importId });
    expect(await find(record)).toMatchObject({ state: 'cancelled', isStopping: false, failure: null });
    expect([list.domains.size, crm.asked.length]).toEqual([0, 2]);
  });
});
