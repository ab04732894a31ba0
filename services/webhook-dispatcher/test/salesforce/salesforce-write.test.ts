import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { field } from '@mailproof/crm-lab';
import type { CrmObject } from '@mailproof/shared-types';
import type { RecordWrite } from '../../src/domain/crm/crm.ts';
import { openSalesforceLab, type SalesforceLab } from './open-salesforce-lab.ts';

let lab: SalesforceLab;
const signal = new AbortController().signal;

beforeEach(async () => {
  lab = await openSalesforceLab();
});

afterEach(() => lab.close());

function write(rowNo: number, values: RecordWrite['values'], recordId: string | null = null): RecordWrite {
  return { rowNo, recordId, ownKey: `per_${rowNo}`, values };
}

const nobody = { LastName: 'Nobody' };

describe('records that are written', () => {
  beforeEach(() => {
    lab.salesforce.addOwnKey('Contact');
    lab.salesforce.addOwnKey('Lead');
    lab.salesforce.addOwnKey('Account');
  });

  it('are created by key, changed by id, and answered in their order', async () => {
    const [ada = ''] = lab.salesforce.seed('Contact', [{ LastName: 'Ada', Phone: '1' }]);
    const results = await lab.crm.write(
      'contact',
      [
        write(7, { LastName: 'Nёw 🚀', Email: 'new@example.com', HasOptedOutOfEmail: 'true' }),
        write(3, { Phone: '2', Birthdate: '1815-12-10T00:00:00Z' }, ada),
      ],
      signal,
    );
    expect(results).toEqual([
      { rowNo: 7, outcome: 'created', recordId: expect.any(String) },
      { rowNo: 3, outcome: 'updated', recordId: ada },
    ]);
    expect(lab.salesforce.records('Contact')).toMatchObject([
      { LastName: 'Ada', Phone: '2', Birthdate: '1815-12-10' },
      { LastName: 'Nёw 🚀', mailproof_id__c: 'per_7', HasOptedOutOfEmail: true },
    ]);
    expect(lab.salesforce.records('Contact')[0]).not.toHaveProperty('mailproof_id__c');
  });

  it('are never created twice, though the answer was lost', async () => {
    lab.salesforce.faults.loseAnswers({ times: 1, when: ({ method }) => method === 'PATCH' });
    const writes = Array.from({ length: 100 }, (_, n) =>
      write(n, { LastName: `n${n}`, Email: `${n}@x.example` }),
    );
    await expect(lab.crm.write('contact', writes, signal)).rejects.toMatchObject({ kind: 'away' });
    expect(lab.salesforce.records('Contact')).toHaveLength(100);
    const again = await lab.crm.write('contact', writes, signal);
    expect(again.every(({ outcome }) => outcome === 'updated')).toBe(true);
    expect(lab.salesforce.records('Contact')).toHaveLength(100);
  });

  it('are distinguished from those that Salesforce rejects, without their contents', async () => {
    const [gone = ''] = lab.salesforce.seed('Contact', [{ LastName: 'Gone' }]);
    lab.salesforce.deleteRecord('Contact', gone);
    const secret = 'secret-value';
    const results = await lab.crm.write(
      'contact',
      [
        write(1, { LastName: 'Fine' }),
        write(2, { FirstName: secret }),
        write(3, { LastName: secret.repeat(20) }),
        write(4, { LastName: 'x', Email: secret }),
        write(5, { LastName: 'x', Birthdate: secret }),
        write(6, { LastName: 'x', Nope__c: secret }),
        write(7, { LastName: 'x', CreatedDate: '2020-01-01' }),
        write(8, { Phone: '1' }, gone),
        write(9, { Phone: '1' }, '003LB9999999999AAA'),
        write(10, { Phone: '1' }, '001LB0000000001AAA'),
        write(11, { LastName: '' }),
        write(12, { LastName: 'x', AccountId: secret }),
      ],
      signal,
    );
    const fault = (code: string, property: string | null = null) => ({ code, property });
    expect(results.map(result => (result.outcome === 'failed' ? result.fault : result.outcome))).toEqual([
      'created',
      fault('missing_value', 'LastName'),
      fault('invalid_value', 'LastName'),
      fault('invalid_value', 'Email'),
      fault('invalid_value', 'Birthdate'),
      fault('no_such_property', 'Nope__c'),
      fault('not_permitted', 'CreatedDate'),
      fault('gone'),
      fault('gone'),
      fault('gone'),
      fault('missing_value', 'LastName'),
      fault('invalid_value', 'AccountId'),
    ]);
    expect(results.some(result => result.outcome === 'failed' && result.isTransient)).toBe(false);
    expect(JSON.stringify(results)).not.toContain(secret);
  });

  it('need the company of a lead and the name of a company', async () => {
    expect(await lab.crm.write('lead', [write(1, nobody)], signal)).toMatchObject([
      { fault: { code: 'missing_value', property: 'Company' } },
    ]);
    expect(await lab.crm.write('company', [write(1, { Website: 'x.example' })], signal)).toMatchObject([
      { fault: { code: 'missing_value', property: 'Name' } },
    ]);
  });

  it('are refused by a duplicate rule, an unknown choice, and a converted lead', async () => {
    lab.salesforce.refuseDuplicates(true);
    lab.salesforce.seed('Contact', [{ LastName: 'Ada', Email: 'ada@example.com' }]);
    const [lead = ''] = lab.salesforce.seed('Lead', [{ LastName: 'A', Company: 'B', IsConverted: true }]);
    const once = async (object: CrmObject, one: RecordWrite) =>
      (await lab.crm.write(object, [one], signal))[0];
    expect(await once('contact', write(1, { LastName: 'Ada', Email: 'ADA@example.com' }))).toMatchObject({
      fault: { code: 'duplicate' },
      isTransient: false,
    });
    expect(await once('company', write(1, { Name: 'x', Type: 'Nope' }))).toMatchObject({
      fault: { code: 'invalid_value', property: 'Type' },
    });
    expect(await once('lead', write(1, { Phone: '1' }, lead))).toMatchObject({
      fault: { code: 'locked' },
      isTransient: false,
    });
  });

  it('are worth another try where a row was locked or two calls had one new key', async () => {
    const error = (statusCode: string, message: string) => ({
      times: 1,
      error: { statusCode, message, fields: [] },
    });
    lab.salesforce.faults.refuseRecords(error('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access'));
    lab.salesforce.faults.refuseRecords(
      error('DUPLICATE_VALUE', 'duplicate value found: mailproof_id__c duplicates value on record'),
    );
    const writes = [write(1, nobody), write(2, nobody), write(3, nobody)];
    expect(await lab.crm.write('contact', writes, signal)).toMatchObject([
      { outcome: 'failed', fault: { code: 'locked' }, isTransient: true },
      { outcome: 'failed', fault: { code: 'duplicate' }, isTransient: true },
      { outcome: 'created' },
    ]);
  });

  it('are sent once where a call names one twice', async () => {
    const [ada = ''] = lab.salesforce.seed('Contact', [{ LastName: 'Ada' }]);
    const results = await lab.crm.write(
      'contact',
      [
        write(1, nobody),
        { ...write(2, nobody), ownKey: 'PER_1' },
        write(3, { Phone: '1' }, ada),
        write(4, { Phone: '2' }, ada.slice(0, 15)),
      ],
      signal,
    );
    expect(results).toMatchObject([
      { outcome: 'created' },
      { fault: { code: 'locked' }, isTransient: true },
      { outcome: 'updated' },
      { fault: { code: 'locked' }, isTransient: true },
    ]);
    expect(lab.salesforce.records('Contact')).toMatchObject([{ Phone: '1' }, nobody]);
  });

  it('are told apart where one record makes Salesforce refuse the whole call', async () => {
    lab.salesforce.addField('Contact', field('Score__c', 'Score', 'double'));
    await lab.crm.properties('contact', signal);
    // The cached description says that the field is a number, but Salesforce now expects a date.
    lab.salesforce.faults.failCalls({
      times: 4,
      status: 400,
      errorCode: 'JSON_PARSER_ERROR',
      message: 'Cannot deserialize secret-value',
      when: () => true,
    });
    const writes = Array.from({ length: 5 }, (_, n) => write(n, { LastName: 'x', Score__c: '1.5' }));
    const results = await lab.crm.write('contact', writes, signal);
    expect(results.map(({ rowNo }) => rowNo)).toEqual([0, 1, 2, 3, 4]);
    expect(results.filter(({ outcome }) => outcome === 'created')).toHaveLength(4);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      { rowNo: 0, fault: { code: 'invalid_value', property: null } },
    ]);
  });
});

describe('records that are deleted', () => {
  it('are gone, and missing ones count as deleted', async () => {
    const ids = lab.salesforce.seed('Contact', [{ LastName: 'A' }, { LastName: 'B' }, { LastName: 'C' }]);
    const [first = '', second = '', third = ''] = ids;
    lab.salesforce.deleteRecord('Contact', second);
    lab.salesforce.faults.refuseRecords({
      times: 1,
      error: { statusCode: 'DELETE_FAILED', message: 'has cases', fields: [] },
      when: (_object, { Id }) => Id === third,
    });
    const [account = ''] = lab.salesforce.seed('Account', [{ Name: 'Stays' }]);
    const results = await lab.crm.remove('contact', [...ids, '003LB9999999999AAA', account], signal);
    expect(results).toEqual([
      { recordId: first, outcome: 'removed' },
      { recordId: second, outcome: 'removed' },
      { recordId: third, outcome: 'failed', fault: { code: 'refused', property: null } },
      { recordId: '003LB9999999999AAA', outcome: 'removed' },
      { recordId: account, outcome: 'removed' },
    ]);
    expect(lab.salesforce.records('Contact')).toMatchObject([{ LastName: 'C' }]);
    expect(lab.salesforce.records('Account')).toHaveLength(1);
  });
});
