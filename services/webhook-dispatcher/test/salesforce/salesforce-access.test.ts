import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CrmFault, type RecordWrite } from '../../src/domain/crm/crm.ts';
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

describe('access', () => {
  it('is renewed once if it expires during a batch', async () => {
    lab.salesforce.addOwnKey('Contact');
    const [ada = ''] = lab.salesforce.seed('Contact', [{ LastName: 'Ada' }]);
    let patches = 0;
    lab.salesforce.faults.beforeCall = ({ method }) => {
      patches += Number(method === 'PATCH');
      if (patches === 2 && lab.access.renewals === 0) {
        lab.salesforce.oauth.expireAccessTokens();
      }
    };
    const results = await lab.crm.write('contact', [write(1, { Phone: '1' }, ada), write(2, nobody)], signal);
    expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'created']);
    expect(lab.access.renewals).toBe(1);
    expect(patches).toBe(3);
  });

  it('is revoked where what was renewed is not accepted either', async () => {
    lab.salesforce.oauth.expireAccessTokens();
    lab.access.isRenewed = false;
    await expect(lab.crm.properties('contact', signal)).rejects.toMatchObject({ kind: 'revoked' });
    expect(lab.access.renewals).toBe(1);
  });

  it.each([
    [403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.', {}, 'exhausted', null],
    [403, 'REQUEST_LIMIT_EXCEEDED', 'ConcurrentPerOrgLongTxn Limit exceeded.', {}, 'throttled', null],
    [429, 'TOO_MANY_REQUESTS', '', { 'retry-after': '7' }, 'throttled', 7_000],
    [503, 'SERVER_UNAVAILABLE', '', { 'retry-after': '30' }, 'away', 30_000],
    [500, 'UNKNOWN_EXCEPTION', '', {}, 'away', null],
    [403, 'API_DISABLED_FOR_ORG', '', {}, 'not_permitted', null],
    [404, 'NOT_FOUND', '', {}, 'not_found', null],
    [400, 'MALFORMED_QUERY', '', {}, 'refused', null],
    [302, undefined, '', { location: 'https://elsewhere.example/' }, 'refused', null],
    [200, undefined, 'Down for maintenance', {}, 'away', null],
    [502, undefined, 'Bad gateway', {}, 'away', null],
  ] as const)(
    'that is answered with %d %s says what to do',
    async (status, errorCode, message, headers, kind, waitMs) => {
      lab.salesforce.faults.failCalls({
        times: 1,
        status,
        message: `${message} secret-value`.trim(),
        headers,
        ...(errorCode && { errorCode, message: message || 'secret-value' }),
      });
      const error = await lab.crm.properties('contact', signal).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CrmFault);
      expect(error).toMatchObject({ kind, waitMs });
      const { accessToken } = await lab.access.current();
      for (const secret of ['secret-value', accessToken, lab.salesforce.baseUrl]) {
        expect(JSON.stringify(error) + String(error) + String((error as Error).stack)).not.toContain(secret);
      }
      expect((error as Error).cause).toBeUndefined();
      expect(lab.salesforce.faults.calls).toHaveLength(1);
    },
  );

  it('to an instance at a private address, at a public one without TLS, or at none is refused', async () => {
    for (const url of [
      'https://10.0.0.1',
      'https://169.254.169.254',
      'https://[::ffff:10.0.0.1]',
      'http://8.8.8.8',
      'http://192.168.0.1',
      'ftp://127.0.0.1',
      'file:///etc/passwd',
      'nothing',
    ]) {
      await expect(lab.crmAt(url).properties('contact', signal)).rejects.toMatchObject({
        name: 'CrmFault',
        kind: 'refused',
      });
    }
    expect(lab.salesforce.faults.calls).toEqual([]);
  });

  it('to an instance whose name leads to a private address is refused', async () => {
    const url = lab.salesforce.baseUrl.replace('127.0.0.1', '127.0.0.2');
    await expect(lab.crmAt(url).properties('contact', signal)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('ends with the signal, at any point where it waits', async () => {
    const controller = new AbortController();
    const reason = new Error('the export was cancelled');
    lab.salesforce.faults.beforeCall = () => controller.abort(reason);
    await expect(lab.crm.properties('contact', controller.signal)).rejects.toBe(reason);
    await expect(lab.crm.segments('contact', controller.signal)).rejects.toBe(reason);
  });
});

describe('an instance that answers too late', () => {
  let slow: SalesforceLab;
  beforeAll(async () => {
    slow = await openSalesforceLab(50);
  });
  afterAll(() => slow.close());

  it('is away, for us and for callers with a shorter deadline', async () => {
    slow.salesforce.faults.hold(new Promise(() => undefined));
    await expect(slow.crm.properties('contact', signal)).rejects.toMatchObject({ kind: 'away' });
    lab.salesforce.faults.hold(new Promise(() => undefined));
    const soon = AbortSignal.timeout(50);
    await expect(lab.crm.properties('contact', soon)).rejects.toMatchObject({ kind: 'away' });
  });
});
