import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Pool } from 'undici';
import { z } from 'zod';

/*
 * The bare server of the comparison, as in the documentation of the SDK. Its one tool makes one request to
 * the REST interface with an API key. No tokens, no limits, no log.
 */

/** Settings from the benchmark. */
export interface BareServerSettings {
  /** Where the gateway listens for customers. */
  readonly restUrl: string;
  readonly apiKey: string;
  readonly toolName: string;
}

process.once('message', (settings: BareServerSettings) => {
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
  const server = createServer((request, response) => {
    // A request that a server receives has both.
    serve(request as IncomingMessage & { method: string; url: string }, response);
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1', () => {
    process.send?.((server.address() as AddressInfo).port);
  });
});
process.once('disconnect', () => process.exit());
