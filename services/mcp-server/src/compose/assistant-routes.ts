import {
  type CountFailure,
  createAccountReader,
  createServiceGuard,
  type Route,
} from '@mailproof/service-kit';
import {
  disconnectAssistant,
  disconnectUser,
  exportAccountAssistants,
  forgetAccountAssistants,
  listAssistants,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createListAssistants } from '../adapters/postgres/assistant-list.ts';
import { createEndAssistants } from '../adapters/postgres/end-assistants.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events.ts';
import { disconnectAssistantRoute } from '../http/disconnect-assistant.ts';
import { disconnectUserRoute } from '../http/disconnect-user.ts';
import { exportAccountAssistantsRoute } from '../http/export-account-assistants.ts';
import { forgetAccountAssistantsRoute } from '../http/forget-account-assistants.ts';
import { listAssistantsRoute } from '../http/list-assistants.ts';

/** What the gateway asks of connected assistants. */
export function assistantRoutes(options: {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly countFailure: CountFailure;
  readonly now: () => Date;
}): Route[] {
  const { config, pool, events, countFailure, now } = options;
  const guardOf = createServiceGuard('mcp-server', config.SERVICE_PEER_KEYS, countFailure);
  const end = createEndAssistants(pool);
  return [
    listAssistantsRoute(
      guardOf(listAssistants),
      createListAssistants(pool),
      `${config.MCP_PUBLIC_BASE_URL}/mcp`,
      now,
    ),
    disconnectAssistantRoute(guardOf(disconnectAssistant), end, events),
    disconnectUserRoute(guardOf(disconnectUser), end, events),
    exportAccountAssistantsRoute(guardOf(exportAccountAssistants), createAccountReader(pool, accountTables)),
    forgetAccountAssistantsRoute(guardOf(forgetAccountAssistants), end, events),
  ];
}
