import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The part of n8n's types that the tests touch: its packages are not among ours. */
export interface N8nNode {
  readonly description: { readonly properties: readonly object[]; readonly credentials?: readonly object[] };
  execute?(this: object): Promise<{ json: Record<string, unknown>; pairedItem?: unknown }[][]>;
  webhook?(this: object): Promise<{ workflowData?: { json: Record<string, unknown> }[][] }>;
  readonly webhookMethods?: {
    readonly default: Readonly<
      Record<'checkExists' | 'create' | 'delete', (this: object) => Promise<boolean>>
    >;
  };
}

interface Workflow {
  readonly NodeHelpers: {
    getNodeParameters(
      properties: readonly object[],
      given: object,
      returnDefaults: boolean,
      returnNoneDisplayed: boolean,
      node: object,
      description: object,
    ): Record<string, unknown> | null;
  };
}

/** The nodes as n8n loads them from their installed package, and n8n's own functions. */
export function loadNodes(folder: string) {
  const require = createRequire(join(folder, 'package.json'));
  const dist = 'n8n-nodes-mailproof/dist';
  const { Mailproof } = require(`${dist}/nodes/Mailproof/Mailproof.node.js`);
  const { MailproofTrigger } = require(`${dist}/nodes/MailproofTrigger/MailproofTrigger.node.js`);
  const { MailproofApi } = require(`${dist}/credentials/MailproofApi.credentials.js`);
  return {
    node: new Mailproof() as N8nNode,
    trigger: new MailproofTrigger() as N8nNode,
    credentials: new MailproofApi() as {
      readonly authenticate: { readonly properties: { readonly headers: Record<string, string> } };
      readonly test: { readonly request: { readonly url: string } };
    },
    workflow: require(join(folder, 'node_modules/n8n-workflow')) as Workflow,
  };
}

export type Loaded = ReturnType<typeof loadNodes>;
type Options = Readonly<Record<'method' | 'url', string>> & {
  readonly headers?: Record<string, string>;
  readonly qs?: Record<string, unknown>;
  readonly body?: unknown;
  readonly returnFullResponse?: boolean;
  readonly ignoreHttpStatusErrors?: boolean;
};

export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * What n8n gives to a node for one execution: parameters with the defaults of the description, resolved by n8n's own
 * function, and requests over real HTTP with the header of the credentials.
 */
export function contextOf(
  { workflow, credentials }: Loaded,
  node: N8nNode,
  account: Account,
  given: {
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly items?: readonly Record<string, unknown>[];
    readonly continueOnFail?: boolean;
    readonly executionId?: string;
    /** What the node keeps during an execution. */
    readonly kept?: Record<string, unknown>;
    readonly more?: object;
  },
): object {
  const { parameters = {}, items = [{}], continueOnFail = false, executionId = '1', kept = {} } = given;
  const self = {
    id: 'node-1',
    name: 'Mailproof',
    type: 'mailproof',
    typeVersion: 1,
    position: [0, 0],
    parameters,
  };
  const { properties } = node.description;
  const { NodeHelpers } = workflow;
  const all =
    NodeHelpers.getNodeParameters(properties, parameters, true, false, self, node.description) ?? {};
  return {
    getInputData: () => items.map(json => ({ json })),
    getNode: () => self,
    getExecutionId: () => executionId,
    getContext: () => kept,
    continueOnFail: () => continueOnFail,
    getCredentials: async () => account,
    getNodeParameter: (name: string, item = 0, fallback?: unknown) => {
      const value = all[name] ?? fallback;
      const [, field] = /^=\{\{ \$json\.(\w+) \}\}$/.exec(String(value)) ?? [];
      return field === undefined ? value : (items[item]?.[field] ?? '');
    },
    helpers: {
      returnJsonArray: (events: object[]) => events.map(json => ({ json })),
      httpRequestWithAuthentication: (_type: string, options: Options) =>
        request(credentials, account, options),
    },
    ...given.more,
  };
}

async function request({ authenticate }: Loaded['credentials'], { apiKey }: Account, options: Options) {
  const url = new URL(options.url);
  for (const [name, value] of Object.entries(options.qs ?? {})) url.searchParams.set(name, String(value));
  const isText = typeof options.body === 'string';
  const secrets = Object.entries(authenticate.properties.headers).map(
    ([name, value]) => [name, value.replace('={{$credentials.apiKey}}', apiKey)] as const,
  );
  const response = await fetch(url, {
    method: options.method,
    headers: {
      ...(options.body !== undefined && !isText && { 'content-type': 'application/json' }),
      ...options.headers,
      ...Object.fromEntries(secrets),
    },
    ...(options.body !== undefined && { body: isText ? String(options.body) : JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok && !options.ignoreHttpStatusErrors) {
    throw Object.assign(new Error(text), { httpCode: String(response.status) });
  }
  const body = isText ? text : JSON.parse(text);
  return options.returnFullResponse
    ? { statusCode: response.status, headers: Object.fromEntries(response.headers), body }
    : body;
}
