import type { IncomingMessage } from 'node:http';
import { serveBare } from '@mailproof/dev-house/bench';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Pool } from 'undici';
import { z } from 'zod';

/*
 * The bare server for the comparison, as in the SDK's documentation. Its only tool makes one request to the REST
 * interface with an API key. It has no tokens, limits or logs.
 */

/** Settings from the benchmark. */
export interface BareServerSettings {
  /** The gateway's public address for customers. */
  readonly restUrl: string;
  readonly apiKey: string;
  readonly toolName: string;
}

serveBare((settings: BareServerSettings) => {
  const pool = new Pool(settings.restUrl, { connections: 64, keepAliveTimeout: 30_000 });
  const headers = { accept: 'application/json', 'x-api-key': settings.apiKey };
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bare', version: '1.0.0' });
    server.registerTool(
      settings.toolName,
      {
        description: 'Gets how many credits the account has left.',
        inputSchema: z.object({}),
        outputSchema: z.object({ credits: z.number() }),
      },
      async () => {
        const { body } = await pool.request({ method: 'GET', path: '/api/v1/me', headers });
        const status = (await body.json()) as { credits: number };
        return { content: [{ type: 'text', text: JSON.stringify(status) }], structuredContent: status };
      },
    );
    return server;
  });
  const serve = toNodeHandler(handler);
  return (request, response) => {
    // A received request always has both.
    serve(request as IncomingMessage & { method: string; url: string }, response);
  };
});
