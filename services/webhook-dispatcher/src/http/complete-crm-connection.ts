import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { completeCrmConnection, forwarded } from '@mailproof/shared-types';
import type { Connecting, ConnectionCompleted, CrmAnswer } from '../domain/crm/connections/connect.ts';
import type { CrmConnection } from '../domain/crm/connections/crm-connection.ts';
import { crmConnectionAnswer } from './crm-connection-answer.ts';
import { waitSecondsOf } from './crm-problem.ts';

export function completeCrmConnectionRoute(
  guard: Guard<unknown>,
  complete: (connecting: Connecting, answer: CrmAnswer, signal: AbortSignal) => Promise<ConnectionCompleted>,
): Route {
  return route(
    forwarded(completeCrmConnection),
    guard,
    async ({ params: { accountId, userId }, body }, { signal }) =>
      crmConnectionAnswer(connectionOf(await complete({ accountId, userId }, body, signal))),
  );
}

function connectionOf(completed: ConnectionCompleted): CrmConnection {
  switch (completed.kind) {
    case 'connected':
      return completed.connection;
    case 'not_valid':
      throw new Problem('crm_sign_in_not_valid');
    case 'denied':
      throw new Problem('crm_access_denied', { detail: `The CRM says: ${wordOf(completed.error)}.` });
    case 'not_configured':
      throw new Problem('crm_not_configured', {
        detail:
          'The CRM does not accept the app of this installation. Ask your administrator to check its client id and secret.',
      });
    case 'too_many':
      throw new Problem('too_many_crm_connections');
    case 'away':
      throw new Problem('crm_unavailable', {
        detail: 'The CRM did not answer. Connect it once more.',
        headers: { 'retry-after': waitSecondsOf(completed.waitMs) },
      });
  }
}

/** The error comes from an address that anybody can write, so that only what looks like a code is repeated. */
function wordOf(error: string): string {
  return /^[\w.-]{1,60}$/.test(error) ? error : 'it gives no reason';
}
