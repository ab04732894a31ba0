import type { OperationClient, Route } from '@mailproof/service-kit';
import {
  beginCrmConnection,
  completeCrmConnection,
  disconnectCrm,
  listCrmConnections,
  listCrmProperties,
  listCrmSegments,
  suggestCrmMapping,
  undoExport,
} from '@mailproof/shared-types';
import { forwardedRoute } from '../http/forwarded-route.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';

export interface CrmsOptions {
  readonly sessionGuard: SessionGuard;
  readonly dispatcherPeer: OperationClient;
}

/** Time in which a CRM answers what it was asked for, page by page where it has many, in milliseconds. */
const crmMsMax = 60_000;

/** CRMs that accounts connect: operations that the webhook dispatcher answers whole (ADR 0028). */
export function composeCrms({ sessionGuard, dispatcherPeer }: CrmsOptions): {
  readonly routes: readonly Route[];
} {
  return {
    routes: [
      forwardedRoute(beginCrmConnection, sessionGuard, dispatcherPeer),
      forwardedRoute(completeCrmConnection, sessionGuard, dispatcherPeer, { deadlineMs: crmMsMax }),
      forwardedRoute(listCrmConnections, sessionGuard, dispatcherPeer),
      forwardedRoute(disconnectCrm, sessionGuard, dispatcherPeer),
      forwardedRoute(listCrmProperties, sessionGuard, dispatcherPeer, { deadlineMs: crmMsMax }),
      forwardedRoute(listCrmSegments, sessionGuard, dispatcherPeer, { deadlineMs: crmMsMax }),
      forwardedRoute(suggestCrmMapping, sessionGuard, dispatcherPeer, { deadlineMs: crmMsMax }),
      forwardedRoute(undoExport, sessionGuard, dispatcherPeer),
    ],
  };
}
