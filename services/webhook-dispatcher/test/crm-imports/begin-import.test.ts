import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limits } from '@mailproof/shared-types';
import { CrmFault } from '../../src/domain/crm/crm.ts';
import { createImport } from '../../src/domain/crm/imports/create-import.ts';
import { type Imports, openImports, writeBack } from './import-world.ts';

let imports: Imports;

beforeAll(async () => {
  imports = await openImports();
});

afterAll(() => imports?.close());

describe('an import that is asked for', () => {
  it('counts the records before any work, and names its columns', async () => {
    const { begin, crm } = imports.world(3);
    crm.lists.set('7', new Set(['1000', '1002']));
    const record = await begin({
      selection: { segment_id: '7', filters: [{ property: 'firstname', operator: 'is_known' }] },
      properties: ['email', 'unnamed', 'firstname'],
    });
    expect(record).toMatchObject({
      state: 'queued',
      recordsTotal: 2,
      columns: ['crm_record_id', 'E-mail', 'unnamed', 'First name'],
      name: 'Contacts from a CRM',
      jobId: null,
    });
    expect(crm.asked).toEqual([]);
  });

  it('is rejected if a property does not exist or cannot be written, or no record matches', async () => {
    const { create, crm, state } = imports.world(2);
    const field = (property: string) => ({ column: 'valid', property, policy: 'overwrite' }) as const;
    const faults = await create({
      properties: ['email', 'nowhere'],
      selection: { filters: [{ property: 'nothing', operator: 'is_known' }] },
      write_back: { fields: [field('mail_status'), field('created'), field('none')] },
    });
    expect(faults).toMatchObject({
      kind: 'notValid',
      faults: [
        { pointer: '/properties/1' },
        { pointer: '/selection/filters/0/property' },
        { pointer: '/write_back/fields/1/property' },
        { pointer: '/write_back/fields/2/property' },
      ],
    });
    expect(await create({ object: 'lead' })).toMatchObject({
      kind: 'notValid',
      faults: [{ pointer: '/object' }],
    });
    expect(await create({ selection: { segment_id: '9' } })).toEqual({ kind: 'noSuchSegment' });
    expect(
      await create({ selection: { filters: [{ property: 'email', operator: 'is', values: ['x'] }] } }),
    ).toEqual({ kind: 'nothingToImport' });
    crm.fails = () => new CrmFault('revoked');
    await expect(create()).rejects.toMatchObject({ kind: 'revoked' });
    state.isConnected = false;
    expect(await create()).toEqual({ kind: 'noConnection' });
  });

  it('is refused beyond what one import takes, and sooner where results are written back', async () => {
    const { create, crm } = imports.world(0);
    crm.count = async () => limits.crmImportRecordsMax + 1;
    expect(await create()).toEqual({ kind: 'tooLarge', recordsMax: limits.crmImportRecordsMax });
    crm.count = async () => limits.crmValidationRecordsMax + 1;
    expect(await create(writeBack)).toEqual({ kind: 'tooLarge', recordsMax: limits.crmValidationRecordsMax });
    expect((await create()).kind).toBe('created');
  });

  it('is found again under its key, and is no other', async () => {
    const { create, ports, wanted } = imports.world(1);
    const keyHash = new Uint8Array(32).fill(7);
    const first = wanted({}, { keyHash });
    const signal = new AbortController().signal;
    const [made, again] = [
      await createImport(ports, first, signal),
      await createImport(ports, first, signal),
    ];
    expect([made.kind, again.kind]).toEqual(['created', 'repeated']);
    expect('record' in made && 'record' in again && made.record.importId === again.record.importId).toBe(
      true,
    );
    expect(await createImport(ports, { ...first, name: 'Other' }, signal)).toEqual({ kind: 'keyReused' });
    expect((await create()).kind).toBe('created');
  });

  it('is refused where the account has as many that read as it may', async () => {
    const { create, begin, work } = imports.world(1);
    const first = await begin();
    await begin();
    await begin();
    expect(await create()).toEqual({ kind: 'tooMany' });
    await work(first);
    expect((await create()).kind).toBe('created');
  });
});
