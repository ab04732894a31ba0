import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestDatabase, type TestDatabase, testRedisUrl, testServiceKeys } from '@mailproof/dev-house';
import {
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  openPostgres,
  type RunningService,
  route,
  startService,
} from '@mailproof/service-kit';
import {
  type AssistantRefusal,
  checkPassword,
  getAssistantAccess,
  newId,
  recordAssistantConnected,
} from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import { type HTMLElement, parse } from 'node-html-parser';
import type { Pool } from 'pg';
import { compose, type Overrides } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';

/** Where the tool servers of a test are reached: behind a proxy that ends TLS, as it is in earnest. */
export const publicUrl = 'https://tools.mailproof.test';
export const applicationUrl = 'https://app.mailproof.test';
export const resource = `${publicUrl}/mcp`;
export const redirectUri = 'http://127.0.0.1:45454/callback';

export const person = {
  email: 'ada@ordinary.example',
  password: 'correct horse battery staple',
  accountId: newId('account'),
  userId: newId('user'),
  accountName: 'Ordinary <Ltd>',
};

/** What the gateway says at present, and what it was told. */
export interface GatewayStandIn {
  access: 'ready' | AssistantRefusal | 'away';
  check: 'as typed' | { readonly lockedForMs: number };
  signInIsOver: boolean;
  /** Its clock. */
  readonly now: () => Date;
  readonly recorded: { readonly assistantId: string; readonly clientAddress: string }[];
}

export interface ToolServers {
  readonly gateway: GatewayStandIn;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly database: TestDatabase;
  readonly environment: NodeJS.ProcessEnv;
  /** Sends a request to one of the replicas, as a proxy that ends TLS hands it on. */
  send(path: string, init?: RequestInit, replica?: number): Promise<Response>;
  stop(): Promise<void>;
}

/** Starts tool servers on a database of their own, beside a gateway that says what the test wants. */
export async function startToolServers(
  options: { replicas?: number; overrides?: Overrides; env?: NodeJS.ProcessEnv } = {},
): Promise<ToolServers> {
  const database = await createTestDatabase('mcp-server');
  const keys = await testServiceKeys();
  const gateway: GatewayStandIn = {
    access: 'ready',
    check: 'as typed',
    signInIsOver: false,
    now: options.overrides?.now ?? (() => new Date()),
    recorded: [],
  };
  const gatewayServer = await startGateway(gateway, keys.settingsOf('gateway').SERVICE_PEER_KEYS);
  const ring = (fill: number) => `ring-${fill}:${Buffer.alloc(32, fill).toString('base64')}`;
  const redisUrl = await testRedisUrl();
  const environment: NodeJS.ProcessEnv = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: redisUrl,
    GATEWAY_URL: addressOf(gatewayServer),
    MCP_PUBLIC_BASE_URL: publicUrl,
    PUBLIC_BASE_URL: applicationUrl,
    TRUSTED_PROXIES: 'loopback',
    KEY_ENCRYPTION_KEYS: ring(1),
    OAUTH_ENCRYPTION_KEYS: ring(2),
    OAUTH_REQUESTS_PER_MINUTE_MAX: '10000',
    OAUTH_REGISTRATIONS_PER_HOUR_MAX: '10000',
    OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
    ...keys.settingsOf('mcp-server'),
    ...options.env,
  };
  const config = loadConfig(environment);
  const running: RunningService[] = await Promise.all(
    Array.from({ length: options.replicas ?? 1 }, async () =>
      startService(await compose(config, options.overrides), config),
    ),
  );
  const pool = openPostgres({
    connectionString: database.ownerUrl,
    schema: 'mcp',
    applicationName: 'authorization-server-test',
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
  const redis = new Redis(redisUrl);
  return {
    gateway,
    pool,
    redis,
    database,
    environment,
    send(path, init = {}, replica = 0) {
      return fetch(`http://127.0.0.1:${running[replica]?.port}${path}`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(20_000),
        ...init,
        headers: {
          'x-forwarded-proto': 'https',
          'x-forwarded-host': 'evil.example',
          ...(init.headers as Record<string, string> | undefined),
        },
      });
    },
    async stop() {
      await Promise.all(running.map(service => service.stop()));
      redis.disconnect();
      await pool.end();
      gatewayServer.closeAllConnections();
      await new Promise(resolve => gatewayServer.close(resolve));
      await database.drop();
    },
  };
}

/** The gateway's operations as its contracts have them; everything else is answered 404. */
async function startGateway(says: GatewayStandIn, peers: string): Promise<Server> {
  const guard = createServiceGuard('gateway', JSON.parse(peers));
  const logger = createLogger({ service: 'gateway', level: 'silent' });
  const app = createServiceApp({
    logger,
    health: createHealth({}),
    problemTypeBase: '',
    routes: [
      route(checkPassword, guard(checkPassword), async ({ body }) => {
        if (says.check !== 'as typed') {
          return { kind: 'locked' as const, retryInMs: says.check.lockedForMs };
        }
        return body.email === person.email && body.password === person.password
          ? { kind: 'accepted' as const, signInId: '7', ...person }
          : { kind: 'refused' as const };
      }),
      route(getAssistantAccess, guard(getAssistantAccess), async () => {
        if (says.access === 'away') {
          throw new Error('The gateway is away.');
        }
        return says.access === 'ready'
          ? { kind: 'ready' as const, accountName: person.accountName, email: person.email }
          : { kind: 'refused' as const, reason: says.access };
      }),
      route(recordAssistantConnected, guard(recordAssistantConnected), async ({ body }) => {
        if (says.signInIsOver) {
          return { kind: 'sign_in_over' as const };
        }
        says.recorded.push({ assistantId: body.assistantId, clientAddress: body.clientAddress });
        return { kind: 'recorded' as const, connectedAt: says.now().toISOString() };
      }),
    ],
  });
  const server = createServer(app);
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function newProof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export async function register(servers: ToolServers, metadata: object = {}): Promise<string> {
  const response = await postJson(servers, '/register', {
    client_name: 'A test client',
    redirect_uris: [redirectUri],
    ...metadata,
  });
  const body = (await response.json()) as { client_id?: string };
  if (response.status !== 201 || !body.client_id) {
    throw new Error(`The registration was answered with ${response.status} ${JSON.stringify(body)}.`);
  }
  return body.client_id;
}

export function postJson(servers: ToolServers, path: string, body: unknown): Promise<Response> {
  return servers.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function postForm(
  servers: ToolServers,
  path: string,
  fields: Readonly<Record<string, string>>,
  replica = 0,
): Promise<Response> {
  return servers.send(path, { method: 'POST', body: new URLSearchParams(fields) }, replica);
}

/** The path of an authorization request; a parameter that is `undefined` is left out. */
export function authorizationPath(
  clientId: string,
  proof: Proof,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'account.read validation.run',
    resource,
    state: 'a state',
    code_challenge: proof.challenge,
    code_challenge_method: 'S256',
    ...parameters,
  };
  return `/authorize?${formOf(all)}`;
}

function formOf(fields: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(name, value);
  }
  return form;
}

/** Where a browser has come to. */
export interface Place {
  readonly status: number;
  /** The page, when there is one. */
  readonly document: HTMLElement;
  readonly text: string;
  readonly headers: Headers;
  readonly path: string;
  /** The address outside to which it was sent. */
  readonly sentTo: URL | undefined;
}

/** A browser at the public address: keeps cookies as long as it is told to, and follows redirects inside. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  private readonly servers: ToolServers;
  replica = 0;

  constructor(servers: ToolServers) {
    this.servers = servers;
  }

  async open(path: string, init: RequestInit = {}): Promise<Place> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.servers.send(
      path,
      { ...init, headers: { accept: 'text/html', cookie, ...(init.headers as Record<string, string>) } },
      this.replica,
    );
    this.keepCookies(response);
    const location = response.headers.get('location');
    const body = await response.text();
    if (location === null) {
      const document = parse(body);
      const { status, headers } = response;
      return {
        status,
        headers,
        document,
        text: document.structuredText.replace(/\s+/g, ' '),
        path,
        sentTo: undefined,
      };
    }
    const target = new URL(location, publicUrl);
    if (target.origin === publicUrl) {
      return this.open(`${target.pathname}${target.search}`);
    }
    const nothing = parse('');
    return {
      status: response.status,
      headers: response.headers,
      document: nothing,
      text: '',
      path,
      sentTo: target,
    };
  }

  /** Posts the form whose action ends so, with its hidden inputs and what is given. */
  submit(place: Place, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Place> {
    const form = place.document.querySelector(`form[action$="${action}"]`);
    if (!form) {
      throw new Error(`There is no form ${action} on: ${place.text}`);
    }
    const hidden = form.querySelectorAll('input[type=hidden]');
    const given = Object.fromEntries(
      hidden.map(({ attributes }) => [attributes['name'], attributes['value'] ?? '']),
    );
    return this.post(String(form.attributes['action']), { ...given, ...fields });
  }

  post(path: string, fields: Readonly<Record<string, string | undefined>>): Promise<Place> {
    return this.open(path, { method: 'POST', body: formOf(fields) });
  }

  private keepCookies(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) {
        this.cookies.delete(pair.slice(0, at));
      } else {
        this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
      }
    }
  }
}

/** Signs in from the sign-in page on. */
export function signIn(browser: TestBrowser, place: Place): Promise<Place> {
  return browser.submit(place, '/sign-in', { email: person.email, password: person.password });
}

export function allow(browser: TestBrowser, place: Place): Promise<Place> {
  return browser.submit(place, '/decision', { decision: 'allow' });
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

export interface Connection extends Tokens {
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
}

/** The code of somebody who signs in and allows. */
export async function fetchCode(
  servers: ToolServers,
  clientId: string,
  proof: Proof,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const browser = new TestBrowser(servers);
  const consent = await signIn(browser, await browser.open(authorizationPath(clientId, proof, parameters)));
  const { sentTo } = await allow(browser, consent);
  const code = sentTo?.searchParams.get('code');
  if (!code) {
    throw new Error(`There is no code: ${sentTo?.href ?? consent.text}`);
  }
  return code;
}

export function exchange(
  servers: ToolServers,
  clientId: string,
  code: string,
  verifier: string,
  fields: Readonly<Record<string, string>> = {},
  replica = 0,
): Promise<Response> {
  const given = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
  return postForm(servers, '/token', { ...given, redirect_uri: redirectUri, ...fields }, replica);
}

export function refresh(
  servers: ToolServers,
  { clientId, refresh_token }: Pick<Connection, 'clientId' | 'refresh_token'>,
  fields: Readonly<Record<string, string>> = {},
  replica = 0,
): Promise<Response> {
  const given = { grant_type: 'refresh_token', client_id: clientId, refresh_token };
  return postForm(servers, '/token', { ...given, ...fields }, replica);
}

/** Registers and connects a client; answers what it holds then. */
export async function connect(
  servers: ToolServers,
  options: { clientId?: string; parameters?: Readonly<Record<string, string | undefined>> } = {},
): Promise<Connection> {
  const clientId = options.clientId ?? (await register(servers));
  const proof = newProof();
  const code = await fetchCode(servers, clientId, proof, options.parameters);
  const response = await exchange(servers, clientId, code, proof.verifier);
  if (response.status !== 200) {
    throw new Error(`The code was answered with ${response.status} ${await response.text()}.`);
  }
  return { ...((await response.json()) as Tokens), clientId, code, verifier: proof.verifier };
}
