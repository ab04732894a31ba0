import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { openSalesforceLab, type SalesforceLab } from './open-salesforce-lab.ts';

/*
 * The client reads this variable when it is loaded, which the adapter does at its first call. A developer's shell or a
 * hasty operator can have it; requests with records and tokens must not be written down for that.
 */
process.env['JSFORCE_LOG_LEVEL'] = 'DEBUG';

let lab: SalesforceLab;
const said: string[] = [];
const signal = new AbortController().signal;

beforeAll(async () => {
  lab = await openSalesforceLab();
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    jest.spyOn(console, method).mockImplementation((...args: unknown[]) => {
      said.push(args.map(String).join(' '));
    });
  }
});

afterAll(async () => {
  delete process.env['JSFORCE_LOG_LEVEL'];
  jest.restoreAllMocks();
  await lab.close();
});

it('writes nothing of a record or a token to the log, though the client was told to', async () => {
  lab.salesforce.addOwnKey('Contact');
  const values = { LastName: 'Secretive', Email: 'secretive@example.com' };
  const one = { rowNo: 1, recordId: null, ownKey: 'per_secretive', values };
  await lab.crm.write('contact', [one], signal);
  await lab.crm.find('contact', 'identifying', ['secretive@example.com'], ['LastName'], signal);
  lab.salesforce.faults.loseAnswers({ times: 1 });
  await expect(lab.crm.write('contact', [one], signal)).rejects.toMatchObject({ kind: 'away' });
  lab.salesforce.faults.failCalls({ times: 1, status: 500, message: 'secretive@example.com' });
  await expect(lab.crm.write('contact', [one], signal)).rejects.toMatchObject({ kind: 'away' });
  // What it was told by the variable it does where it has nothing to say of a request, so it was heard.
  const { getLogger } = await import('@jsforce/jsforce-node/lib/util/logger.js');
  getLogger('request').debug('heard');
  const { accessToken } = await lab.access.current();
  expect(said.join('\n')).toContain('heard');
  expect(said.join('\n')).not.toContain(accessToken);
  expect(said.join('\n')).not.toMatch(/secretive/i);
});
