import { openSalesforceLab } from './open-salesforce-lab.ts';

/*
 * A separate process: the client reads JSFORCE_LOG_LEVEL when it is loaded. It writes records through the adapter, lets
 * some calls fail, and prints the access token last, on the channel to its parent.
 */

const signal = new AbortController().signal;
const lab = await openSalesforceLab();
try {
  lab.salesforce.addOwnKey('Contact');
  const values = { LastName: 'Secretive', Email: 'secretive@example.com' };
  const one = { rowNo: 1, recordId: null, ownKey: 'per_secretive', values };
  await lab.crm.write('contact', [one], signal);
  await lab.crm.find('contact', 'identifying', ['secretive@example.com'], ['LastName'], signal);
  lab.salesforce.faults.loseAnswers({ times: 1 });
  const lost = await faultOf(lab.crm.write('contact', [one], signal));
  lab.salesforce.faults.failCalls({ times: 1, status: 500, message: 'secretive@example.com' });
  const failed = await faultOf(lab.crm.write('contact', [one], signal));
  // This log line proves that the client has read the variable.
  const { getLogger } = await import('@jsforce/jsforce-node/lib/util/logger.js');
  getLogger('request').debug('heard');
  const { accessToken } = await lab.access.current();
  process.send?.({ accessToken, faults: [lost, failed] });
} finally {
  await lab.close();
  process.disconnect?.();
}

async function faultOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'none',
    (error: { readonly kind?: unknown }) => error.kind,
  );
}
