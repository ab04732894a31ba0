import { type Route, route } from '@mailproof/service-kit';
import { exportAccount } from '@mailproof/shared-types';
import type { SessionGuard, SignedInCaller } from './guards/session-guard.ts';

export function exportAccountRoute(
  guardOf: SessionGuard,
  open: (caller: SignedInCaller) => Promise<AsyncIterable<string>>,
): Route {
  return route(exportAccount, guardOf(exportAccount), async (_input, { caller, setHeader }) => {
    const lines = await open(caller);
    setHeader('content-disposition', 'attachment; filename="account.ndjson"');
    return lines;
  });
}
