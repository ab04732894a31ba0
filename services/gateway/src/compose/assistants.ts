import type { Guard, Peers, Sealer } from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { disconnectUserAssistantsJob, type Operation } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createToolServerClient } from '../adapters/peers/tool-server.ts';
import { createAssistantGrounds, createAssistantSignIns } from '../adapters/postgres/assistant-store.ts';
import { createMemberStore } from '../adapters/postgres/member-store.ts';
import type { PasswordCheck } from '../domain/users/check-password.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import { assistantHandlers } from '../http/assistants.ts';
import type { AdmitAccount } from '../http/guards/api-key-guard.ts';
import { createAssistantAccountGuard, createAssistantGuard } from '../http/guards/assistant-guard.ts';
import type { AccountGuard } from '../http/guards/gateway-callers.ts';

export interface AssistantsOptions {
  readonly pool: Pool;
  readonly peers: Peers<'gateway'>;
  readonly checkPassword: PasswordCheck;
  readonly admit: AdmitAccount;
  readonly cursorSealer: Sealer;
  readonly deviceKey: Buffer;
  readonly serviceGuard: (operation: Operation) => Guard<unknown>;
  readonly securityEvents: SecurityEventLog;
  readonly now: () => Date;
}

/** The operations of the tool server, and those with which users see and disconnect their assistants. */
export interface Assistants {
  /** Admits requests of the tool server for an assistant. */
  readonly guard: ReturnType<typeof createAssistantGuard>;
  /** Does the same for operations of the application. */
  readonly accountGuard: AccountGuard;
  readonly handlers: ReturnType<typeof assistantHandlers>;
  readonly jobs: readonly OutboxJob[];
}

const jobsAtOnceMax = 2;

export function composeAssistants(options: AssistantsOptions): Assistants {
  const { pool, securityEvents, checkPassword: check, deviceKey, now } = options;
  const findGrounds = createAssistantGrounds(pool);
  const ports = { checkPassword: check, signIns: createAssistantSignIns(pool), deviceKey, now };
  const assistants = createToolServerClient(options.peers['mcp-server']);
  const members = createMemberStore(pool);
  const seen = { assistants, members, securityEvents, now };
  const guarding = { guardOf: options.serviceGuard, findGrounds, admit: options.admit };
  return {
    guard: createAssistantGuard(guarding),
    accountGuard: createAssistantAccountGuard(guarding, options.cursorSealer),
    handlers: assistantHandlers({ seen, signIns: ports, findGrounds }),
    jobs: [
      outboxJob(disconnectUserAssistantsJob, jobsAtOnceMax, payload => assistants.disconnectUser(payload)),
    ],
  };
}
