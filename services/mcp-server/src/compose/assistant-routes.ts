import {
  accountExportHandler,
  type CountFailure,
  createServiceGuard,
  mountHandlers,
  type Route,
} from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createEndAssistants, createListAssistants } from '../adapters/postgres/assistant-store.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events.ts';
import { assistantHandlers } from '../http/assistants.ts';

/** The routes through which the gateway asks about connected assistants. */
export function assistantRoutes(options: {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly countFailure: CountFailure;
  readonly now: () => Date;
}): Route[] {
  const { config, pool, events, countFailure, now } = options;
  return mountHandlers(
    'mcp-server',
    { service: createServiceGuard('mcp-server', config.SERVICE_PEER_KEYS, countFailure) },
    {
      ...assistantHandlers({
        list: createListAssistants(pool),
        end: createEndAssistants(pool),
        address: `${config.MCP_PUBLIC_BASE_URL}/mcp`,
        events,
        now,
      }),
      exportAccountAssistants: accountExportHandler(pool, accountTables),
    },
  );
}
