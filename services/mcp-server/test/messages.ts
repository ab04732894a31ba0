import { type Answer, postMessage } from './oauth-client.ts';

export type Era = '2025-11-25' | '2026-07-28';

export const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];

export interface Message {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** One request as a client of this era sends it. */
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

/** Sends it, without any client's own ideas of what may be sent. */
export function send(
  url: string,
  era: Era,
  message: Message,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { body, headers: own } = messageOf(era, message);
  return postMessage(`${url}/mcp`, body, { ...own, ...headers });
}

/** A tool's result as it came back. */
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
