import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Answer, postMessage } from './oauth-client.ts';

export type Era = '2025-11-25' | '2026-07-28';

export const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];

/** The same eras for the SDK's client, each with the mode in which the client uses it. */
export const modes = [
  ['2026-07-28', 'auto'],
  ['the initialize era', 'legacy'],
] as const;

export interface Message {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** Returns a request as a client of this era sends it. */
export function messageOf(era: Era, { method, params = {} }: Message) {
  const isModern = era === '2026-07-28';
  const name = params['name'] ?? params['uri'];
  const meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, ...(isModern && { _meta: meta }) } },
    headers: {
      'mcp-protocol-version': era as string,
      ...(isModern && { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) }),
    },
  };
}

/** Sends a message without a client library, which might refuse to send it. */
export function send(
  url: string,
  era: Era,
  message: Message,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { body, headers: own } = messageOf(era, message);
  return postMessage(`${url}/mcp`, body, { ...own, ...headers });
}

/** A tool's result as received. */
export interface Result {
  readonly isError?: boolean;
  readonly structuredContent: Record<string, unknown>;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

export function resultOf({ body }: Answer): Result {
  if (body['result'] === undefined) {
    throw new Error(`There is no result: ${JSON.stringify(body)}`);
  }
  return body['result'] as Result;
}

/** A user's response to a form. */
type Elicited = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, never>;
};

/** Connects a client of the SDK. With `answer` it can show forms. */
export async function connectClient(
  url: string,
  mode: 'auto' | 'legacy',
  headers: Readonly<Record<string, string>>,
  answer?: (question: string) => Elicited,
): Promise<Client> {
  const client = new Client(
    { name: 'a client', version: '1.0.0' },
    { versionNegotiation: { mode }, ...(answer && { capabilities: { elicitation: { form: {} } } }) },
  );
  if (answer) {
    client.setRequestHandler('elicitation/create', async ({ params }) => answer(params.message));
  }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}
