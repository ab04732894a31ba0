import { createServiceGuard, type Route } from '@mailproof/service-kit';
import {
  checkPassword,
  getAssistantAccess,
  getSealedApiKey,
  recordAssistantConnected,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createAssistantGrounds } from '../adapters/postgres/assistant-grounds.ts';
import { createAssistantSignIns } from '../adapters/postgres/assistant-sign-ins.ts';
import type { Config } from '../config.ts';
import { connectAssistant, signInForAssistant } from '../domain/assistants/sign-in-for-assistant.ts';
import type { PasswordCheck } from '../domain/users/check-password.ts';
import { checkPasswordRoute } from '../http/check-password.ts';
import { getAssistantAccessRoute } from '../http/get-assistant-access.ts';
import { getSealedApiKeyRoute } from '../http/get-sealed-api-key.ts';
import { recordAssistantConnectedRoute } from '../http/record-assistant-connected.ts';

export interface AssistantsOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly checkPassword: PasswordCheck;
  readonly now: () => Date;
}

/** What the tool server asks the gateway. */
export interface Assistants {
  readonly routes: readonly Route[];
}

export function composeAssistants(options: AssistantsOptions): Assistants {
  const { config, pool, now } = options;
  const guardOf = createServiceGuard('gateway', config.SERVICE_PEER_KEYS);
  const findGrounds = createAssistantGrounds(pool);
  const ports = { checkPassword: options.checkPassword, signIns: createAssistantSignIns(pool), now };
  return {
    routes: [
      checkPasswordRoute(guardOf(checkPassword), signInForAssistant.bind(undefined, ports)),
      getAssistantAccessRoute(guardOf(getAssistantAccess), findGrounds),
      getSealedApiKeyRoute(guardOf(getSealedApiKey), findGrounds),
      recordAssistantConnectedRoute(
        guardOf(recordAssistantConnected),
        connectAssistant.bind(undefined, ports),
      ),
    ],
  };
}
