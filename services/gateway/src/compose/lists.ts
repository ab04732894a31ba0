import type { OperationClient, Route } from '@mailproof/service-kit';
import {
  cancelExport,
  cancelValidationJob,
  changeValidationJob,
  createExport,
  createValidationJob,
  createValidationJobFromList,
  deleteExport,
  deleteValidationJob,
  downloadExport,
  downloadFailedRows,
  followExport,
  followValidationJob,
  getExport,
  getValidationJob,
  listExportRows,
  listExports,
  listValidationJobRows,
  listValidationJobs,
  pauseExport,
  pauseValidationJob,
  putExportDestination,
  resumeExport,
  resumeValidationJob,
  startValidationJob,
  summarizeValidationJob,
  surveyExport,
  testWebhookRow,
} from '@mailproof/shared-types';
import { forwardedRoute } from '../http/forwarded-route.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';

export interface ListsOptions {
  readonly sessionGuard: SessionGuard;
  readonly enginePeer: OperationClient;
  readonly dispatcherPeer: OperationClient;
}

/** Time in which all rows of a job are counted anew, in milliseconds. */
const recountMsMax = 60_000;
/** Time in which the rows of a source are counted and a CRM says what it takes. */
const createExportMsMax = 40_000;
/** Time in which a row is read and its receiver answers, in milliseconds. */
const testRowMsMax = 20_000;

/**
 * Lists that are validated, and what leaves for somebody else's system: operations that the validation engine and the
 * webhook dispatcher answer whole (ADR 0028).
 */
export function composeLists({ sessionGuard, enginePeer, dispatcherPeer }: ListsOptions): {
  readonly routes: readonly Route[];
} {
  return {
    routes: [
      forwardedRoute(createValidationJob, sessionGuard, enginePeer),
      forwardedRoute(createValidationJobFromList, sessionGuard, enginePeer),
      forwardedRoute(listValidationJobs, sessionGuard, enginePeer),
      forwardedRoute(getValidationJob, sessionGuard, enginePeer),
      forwardedRoute(changeValidationJob, sessionGuard, enginePeer, { deadlineMs: recountMsMax }),
      forwardedRoute(deleteValidationJob, sessionGuard, enginePeer),
      forwardedRoute(listValidationJobRows, sessionGuard, enginePeer),
      forwardedRoute(summarizeValidationJob, sessionGuard, enginePeer),
      forwardedRoute(surveyExport, sessionGuard, dispatcherPeer),
      forwardedRoute(createExport, sessionGuard, dispatcherPeer, { deadlineMs: createExportMsMax }),
      forwardedRoute(listExports, sessionGuard, dispatcherPeer),
      forwardedRoute(getExport, sessionGuard, dispatcherPeer),
      forwardedRoute(followExport, sessionGuard, dispatcherPeer),
      forwardedRoute(deleteExport, sessionGuard, dispatcherPeer),
      forwardedRoute(listExportRows, sessionGuard, dispatcherPeer),
      forwardedRoute(downloadExport, sessionGuard, dispatcherPeer),
      forwardedRoute(downloadFailedRows, sessionGuard, dispatcherPeer),
      forwardedRoute(testWebhookRow, sessionGuard, dispatcherPeer, { deadlineMs: testRowMsMax }),
      forwardedRoute(pauseExport, sessionGuard, dispatcherPeer),
      forwardedRoute(resumeExport, sessionGuard, dispatcherPeer),
      forwardedRoute(cancelExport, sessionGuard, dispatcherPeer),
      forwardedRoute(putExportDestination, sessionGuard, dispatcherPeer),
      forwardedRoute(startValidationJob, sessionGuard, enginePeer),
      forwardedRoute(pauseValidationJob, sessionGuard, enginePeer),
      forwardedRoute(resumeValidationJob, sessionGuard, enginePeer),
      forwardedRoute(cancelValidationJob, sessionGuard, enginePeer),
      forwardedRoute(followValidationJob, sessionGuard, enginePeer),
    ],
  };
}
