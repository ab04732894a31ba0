import type { OperationClient, Route } from '@mailproof/service-kit';
import {
  beginCrmConnection,
  cancelCrmImport,
  completeCrmConnection,
  createCrmImport,
  deleteCrmImport,
  disconnectCrm,
  followCrmImport,
  getCrmImport,
  limits,
  listCrmConnections,
  listCrmImports,
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
/** Longer than the dispatcher waits for it, so that its answer is the one that is told. */
const importMsMax = limits.crmAnswerMsMax + 5_000;

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
      forwardedRoute(createCrmImport, sessionGuard, dispatcherPeer, { deadlineMs: importMsMax }),
      forwardedRoute(listCrmImports, sessionGuard, dispatcherPeer),
      forwardedRoute(getCrmImport, sessionGuard, dispatcherPeer),
      forwardedRoute(followCrmImport, sessionGuard, dispatcherPeer),
      forwardedRoute(cancelCrmImport, sessionGuard, dispatcherPeer),
      forwardedRoute(deleteCrmImport, sessionGuard, dispatcherPeer),
      forwardedRoute(suggestCrmMapping, sessionGuard, dispatcherPeer, { deadlineMs: crmMsMax }),
      forwardedRoute(undoExport, sessionGuard, dispatcherPeer),
    ],
  };
}
