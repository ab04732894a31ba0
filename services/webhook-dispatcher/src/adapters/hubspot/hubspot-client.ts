import type * as Lists from '@hubspot/api-client/lib/codegen/crm/lists/index.js';
import type * as Objects from '@hubspot/api-client/lib/codegen/crm/objects/index.js';
import type * as Properties from '@hubspot/api-client/lib/codegen/crm/properties/index.js';
import { CrmFault } from '../../domain/crm/crm.ts';
import type { Transport } from './hubspot-transport.ts';

/**
 * The parts of HubSpot's own client that we use, each loaded on first use. The client's main class does not accept a
 * custom transport, but its parts do (ADR 0039).
 */
export interface HubSpotClient {
  objects<Answer>(ask: (objects: ObjectsPart) => Promise<Answer>, signal: AbortSignal): Promise<Answer>;
  properties<Answer>(ask: (api: Properties.CoreApi) => Promise<Answer>, signal: AbortSignal): Promise<Answer>;
  lists<Answer>(ask: (lists: ListsPart) => Promise<Answer>, signal: AbortSignal): Promise<Answer>;
}

export interface ObjectsPart {
  readonly batch: Objects.BatchApi;
  readonly search: Objects.SearchApi;
}

export interface ListsPart {
  readonly lists: Lists.ListsApi;
  readonly memberships: Lists.MembershipsApi;
}

/** A placeholder that the transport replaces with the address of the account's API. */
const standIn = 'https://hubspot.invalid';

export function createHubSpotClient(transport: Transport): HubSpotClient {
  return {
    async objects(ask, signal) {
      const part = await import('@hubspot/api-client/lib/codegen/crm/objects/index.js');
      const configuration = part.createConfiguration({
        baseServer: new part.ServerConfiguration(standIn, {}),
        httpApi: part.wrapHttpLibrary({ send: sendBy(transport, part.ResponseContext, signal) }),
      });
      return readable(() =>
        ask({ batch: new part.BatchApi(configuration), search: new part.SearchApi(configuration) }),
      );
    },
    async properties(ask, signal) {
      const part = await import('@hubspot/api-client/lib/codegen/crm/properties/index.js');
      const configuration = part.createConfiguration({
        baseServer: new part.ServerConfiguration(standIn, {}),
        httpApi: part.wrapHttpLibrary({ send: sendBy(transport, part.ResponseContext, signal) }),
      });
      return readable(() => ask(new part.CoreApi(configuration)));
    },
    async lists(ask, signal) {
      const part = await import('@hubspot/api-client/lib/codegen/crm/lists/index.js');
      const configuration = part.createConfiguration({
        baseServer: new part.ServerConfiguration(standIn, {}),
        httpApi: part.wrapHttpLibrary({ send: sendBy(transport, part.ResponseContext, signal) }),
      });
      return readable(() =>
        ask({ lists: new part.ListsApi(configuration), memberships: new part.MembershipsApi(configuration) }),
      );
    },
  };
}

/** The request type that all parts of the client share. */
interface ClientRequest {
  getUrl(): string;
  getHttpMethod(): { toString(): string };
  getBody(): unknown;
}

type ClientAnswer<Answer> = new (
  status: number,
  headers: Record<string, string>,
  body: { text(): Promise<string>; binary(): Promise<Buffer> },
) => Answer;

function sendBy<Answer>(transport: Transport, Answered: ClientAnswer<Answer>, signal: AbortSignal) {
  return async (request: ClientRequest): Promise<Answer> => {
    const { pathname, search } = new URL(request.getUrl());
    const method = request.getHttpMethod().toString();
    const body = request.getBody();
    if ((method !== 'GET' && method !== 'POST') || (body !== undefined && typeof body !== 'string')) {
      throw new TypeError(`The client sends something that the transport does not: ${method}`);
    }
    const { status, headers, text } = await transport({ method, path: pathname + search, body }, signal);
    return new Answered(
      status,
      { ...headers },
      {
        text: async () => text,
        binary: async () => Buffer.from(text),
      },
    );
  };
}

/** Handles an answer that is truncated or not JSON. The parser's error contains a piece of it and is not passed on. */
async function readable<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new CrmFault('away');
    }
    throw error;
  }
}

/**
 * Returns the list that an answer must have. Without it, another server answered, and an empty list would end an import
 * too early.
 */
export function listed<Item>(items: readonly Item[] | undefined): readonly Item[] {
  if (!Array.isArray(items)) {
    throw new CrmFault('away');
  }
  return items;
}
