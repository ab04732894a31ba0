import type { OperationClient, Route } from '@mailproof/service-kit';
import {
  cancelValidationJob,
  changeValidationJob,
  createValidationJob,
  createValidationJobFromList,
  deleteValidationJob,
  followValidationJob,
  getValidationJob,
  listValidationJobRows,
  listValidationJobs,
  pauseValidationJob,
  resumeValidationJob,
  startValidationJob,
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

/**
 * Lists that are validated, and what leaves for somebody else's system: operations that the validation engine and the
 * webhook dispatcher answer whole (ADR 0028).
 */
export function composeLists({ sessionGuard, enginePeer }: ListsOptions): {
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
      forwardedRoute(startValidationJob, sessionGuard, enginePeer),
      forwardedRoute(pauseValidationJob, sessionGuard, enginePeer),
      forwardedRoute(resumeValidationJob, sessionGuard, enginePeer),
      forwardedRoute(cancelValidationJob, sessionGuard, enginePeer),
      forwardedRoute(followValidationJob, sessionGuard, enginePeer),
    ],
  };
}
