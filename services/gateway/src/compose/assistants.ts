import {
  type CountFailure,
  createServiceGuard,
  type OperationClient,
  type OutboxJob,
  outboxJob,
  type Route,
} from '@mailproof/service-kit';
import {
  checkPassword,
  disconnectUserAssistantsJob,
  forAssistant,
  getAssistantAccess,
  recordAssistantConnected,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createToolServerClient } from '../adapters/peers/tool-server.ts';
import { createAssistantGrounds } from '../adapters/postgres/assistant-grounds.ts';
import { createAssistantSignIns } from '../adapters/postgres/assistant-sign-ins.ts';
import { createMemberStore } from '../adapters/postgres/member-store.ts';
import type { Config } from '../config.ts';
import {
  disconnectConnectedAssistant,
  listConnectedAssistants,
} from '../domain/assistants/connected-assistants.ts';
import { connectAssistant, signInForAssistant } from '../domain/assistants/sign-in-for-assistant.ts';
import type { PasswordCheck } from '../domain/users/check-password.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import { checkPasswordRoute } from '../http/check-password.ts';
import { disconnectAssistantSignedInRoute } from '../http/disconnect-assistant-signed-in.ts';
import { getAssistantAccessRoute } from '../http/get-assistant-access.ts';
import type { AdmitAccount } from '../http/guards/admit-account.ts';
import { createAssistantGuard } from '../http/guards/assistant-guard.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';
import { listConnectedAssistantsRoute } from '../http/list-connected-assistants.ts';
import { recordAssistantConnectedRoute } from '../http/record-assistant-connected.ts';
import { disconnectUserAssistantsHandler } from '../workers/disconnect-user-assistants.ts';
import type { RestRoutes } from './rest-routes.ts';

export interface AssistantsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly toolServerPeer: OperationClient;
  readonly checkPassword: PasswordCheck;
  readonly admit: AdmitAccount;
  readonly restRoutes: RestRoutes;
  readonly deviceKey: Buffer;
  readonly sessionGuard: SessionGuard;
  readonly securityEvents: SecurityEventLog;
  readonly countFailure: CountFailure;
  readonly now: () => Date;
}

/** What the tool server asks the gateway, and what people see and end of their assistants. */
export interface Assistants {
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
}

const jobsAtOnceMax = 2;

export function composeAssistants(options: AssistantsOptions): Assistants {
  const { config, pool, sessionGuard, securityEvents, checkPassword: check, deviceKey, now } = options;
  const guardOf = createServiceGuard('gateway', config.SERVICE_PEER_KEYS, options.countFailure);
  const findGrounds = createAssistantGrounds(pool);
  const ports = { checkPassword: check, signIns: createAssistantSignIns(pool), deviceKey, now };
  const assistants = createToolServerClient(options.toolServerPeer);
  const members = createMemberStore(pool);
  const seen = { assistants, members, securityEvents, now };
  const assistantGuard = createAssistantGuard({ guardOf, findGrounds, admit: options.admit });
  return {
    routes: [
      ...options
        .restRoutes(operation => assistantGuard(forAssistant(operation)))
        .map(({ operation, handle }) => ({ operation: forAssistant(operation), handle })),
      checkPasswordRoute(guardOf(checkPassword), signInForAssistant.bind(undefined, ports)),
      getAssistantAccessRoute(guardOf(getAssistantAccess), findGrounds),
      recordAssistantConnectedRoute(
        guardOf(recordAssistantConnected),
        connectAssistant.bind(undefined, ports),
      ),
      listConnectedAssistantsRoute(sessionGuard, listConnectedAssistants.bind(undefined, seen)),
      disconnectAssistantSignedInRoute(sessionGuard, disconnectConnectedAssistant.bind(undefined, seen)),
    ],
    jobs: [
      outboxJob(disconnectUserAssistantsJob, jobsAtOnceMax, disconnectUserAssistantsHandler(assistants)),
    ],
  };
}
