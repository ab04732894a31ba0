import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import type { OAuthSimulator } from '../oauth.ts';
import { type Listening, listen } from '../open-simulator.ts';
import { CallRefused, type HubSpotFault, sendFault } from './answers.ts';
import { createHubSpotOAuth } from './hubspot-oauth.ts';
import { CallWindows, type HubSpotLimits, limitFault } from './limits.ts';
import { listRoutes } from './list-routes.ts';
import { objectRoutes } from './object-routes.ts';
import { Portal } from './portal.ts';
import type { ObjectType } from './property-catalogue.ts';
import { propertyRoutes } from './property-routes.ts';
import type { RefuseRecord } from './records.ts';
import { Switches } from './switches.ts';

export interface HubSpotOptions {
  /** A free one if left out. */
  readonly port?: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly redirectUris?: readonly string[];
  readonly hubDomain?: string;
  /** Far beyond what HubSpot takes if left out, so that tests are quick; `hubSpotLimits` are HubSpot's. */
  readonly limits?: Partial<HubSpotLimits>;
  readonly now?: () => Date;
}

/** A call that was answered, or that a switch took away. */
export interface CallSeen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** HubSpot, as far as it is simulated: one account with contacts, companies, properties and lists. */
export interface HubSpotSimulator extends Listening {
  readonly oauth: OAuthSimulator;
  readonly portalId: number;
  readonly hubDomain: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What goes wrong, by a test's wish. */
  readonly switches: Switches;
  /** The calls of the API so far, in order. */
  readonly calls: readonly CallSeen[];
  /** Records that are there, in the order of their ids, with their values. */
  records(
    objectType: ObjectType,
  ): readonly { readonly id: string; readonly values: Readonly<Record<string, string>> }[];
  /** Makes many records at once and answers their ids. */
  seed(objectType: ObjectType, count: number, values: (place: number) => Record<string, string>): string[];
  archive(objectType: ObjectType, id: string): void;
  addList(name: string, objectType: ObjectType, recordIds: readonly string[]): string;
  /** Refuses what a record would get; undefined takes it. */
  refuseRecords(objectType: ObjectType, refuses: RefuseRecord): void;
  /** Whether one fault refuses a whole batch, though its inputs have trace ids. */
  refuseWholeBatches(refuses: boolean): void;
  freezeSearchIndex(): void;
  thawSearchIndex(): void;
  setLimits(limits: Partial<HubSpotLimits>): void;
}

/** What HubSpot takes of an app at an account of one of its larger plans. */
export const hubSpotLimits: HubSpotLimits = { callsPer10s: 190, searchesPerSecond: 5, callsPerDay: 650_000 };

/** What an app needs for everything that is simulated. */
export const hubSpotScopes: readonly string[] = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.objects.companies.read',
  'crm.objects.companies.write',
  'crm.schemas.contacts.read',
  'crm.schemas.contacts.write',
  'crm.schemas.companies.read',
  'crm.schemas.companies.write',
  'crm.lists.read',
];

const quickLimits: HubSpotLimits = {
  callsPer10s: 100_000,
  searchesPerSecond: 10_000,
  callsPerDay: 10_000_000,
};
const portalId = 246_810;
const bodyBytesMax = '10mb';

export async function openHubSpot(options: HubSpotOptions = {}): Promise<HubSpotSimulator> {
  const {
    clientId = 'lab-hubspot-app',
    clientSecret = 'lab-hubspot-secret',
    redirectUris = [],
    hubDomain = 'lab.example',
    now = () => new Date(),
  } = options;
  const oauth = createHubSpotOAuth({
    clientId,
    clientSecret,
    redirectUris,
    scopes: hubSpotScopes,
    hubId: portalId,
    hubDomain,
    now,
  });
  const portal = new Portal(portalId, now);
  const windows = new CallWindows({ ...quickLimits, ...options.limits }, now);
  const switches = new Switches();
  const calls: CallSeen[] = [];

  const app = express();
  app.disable('x-powered-by').set('etag', false);
  app.use(oauth.router);
  app.use(noteCalls(calls), withSwitches(switches), withAccess(oauth), withLimits(windows));
  app.use(express.json({ limit: bodyBytesMax }));
  app.use('/crm/v3/objects', objectRoutes(portal));
  app.use('/crm/v3/properties', propertyRoutes(portal));
  app.use('/crm/v3/lists', listRoutes(portal));
  app.get('/account-info/v3/details', (_request, response) => {
    response.json(accountDetails(hubDomain));
  });
  app.use((_request, response) =>
    sendFault(response, 404, { category: 'NOT_FOUND', message: 'No such route' }),
  );
  app.use(answerFaults);
  const listening = await listen(app, options.port);

  return {
    ...listening,
    oauth,
    portalId,
    hubDomain,
    clientId,
    clientSecret,
    switches,
    calls,
    records: objectType => portal[objectType].all().map(({ id, values }) => ({ id, values: { ...values } })),
    seed: (objectType, count, values) =>
      Array.from({ length: count }, (_, place) => portal[objectType].create(values(place)).id),
    archive: (objectType, id) => portal[objectType].archive(id),
    addList: (name, objectType, recordIds) => portal.addList(name, objectType, recordIds),
    refuseRecords(objectType, refuses) {
      portal[objectType].refuses = refuses;
    },
    refuseWholeBatches(refuses) {
      portal.carriesOutPartly = !refuses;
    },
    freezeSearchIndex: () => portal.freezeSearchIndex(),
    thawSearchIndex: () => portal.thawSearchIndex(),
    setLimits(limits) {
      windows.limits = { ...windows.limits, ...limits };
    },
  };
}

function noteCalls(calls: CallSeen[]): RequestHandler {
  return (request, response, next) => {
    calls.push({
      method: request.method,
      path: request.path,
      get status() {
        return response.statusCode;
      },
    });
    next();
  };
}

/** Every answer waits for the switches after its work is done. */
function withSwitches(switches: Switches): RequestHandler {
  return (request, response, next) => {
    if (switches.intervene(request, response)) {
      return;
    }
    // Routers that are mounted somewhere see the rest of the path alone.
    const { path } = request;
    const end = response.end.bind(response) as (...args: unknown[]) => Response;
    response.end = ((...args: unknown[]) => {
      void switches.takeAway(path, request, response).then(isTaken => {
        if (!isTaken) {
          end(...args);
        }
      });
      return response;
    }) as Response['end'];
    next();
  };
}

function withAccess(oauth: OAuthSimulator): RequestHandler {
  return (request, response, next) => {
    const [, token] = /^Bearer (.+)$/.exec(request.get('authorization') ?? '') ?? [];
    if (token === undefined) {
      sendFault(response, 401, {
        category: 'INVALID_AUTHENTICATION',
        message: 'Authentication credentials not found. This API supports OAuth 2.0 authentication.',
      });
      return;
    }
    const grant = oauth.grantOf(token);
    if (grant === undefined) {
      sendFault(response, 401, expired());
      return;
    }
    const needed = scopeOf(request.method, request.path);
    if (needed !== undefined && !grant.scope.split(' ').includes(needed)) {
      sendFault(response, 403, {
        category: 'MISSING_SCOPES',
        message: 'This app hasn’t been granted all required scopes to make this call.',
        errors: [
          {
            message: 'One or more of the following scopes are required.',
            context: { requiredGranularScopes: [needed] },
          },
        ],
      });
      return;
    }
    next();
  };
}

function withLimits(windows: CallWindows): RequestHandler {
  return (request, response, next) => {
    const isSearch = /^\/crm\/v3\/objects\/[^/]+\/search$/.test(request.path);
    const beyond = windows.take(isSearch);
    response.set(windows.headers(isSearch));
    if (beyond !== undefined) {
      sendFault(response, 429, limitFault(beyond));
      return;
    }
    next();
  };
}

const answerFaults: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof CallRefused) {
    sendFault(response, error.status, error.fault);
  } else if (error?.type === 'entity.parse.failed' || error?.type === 'entity.too.large') {
    sendFault(response, 400, { category: 'VALIDATION_ERROR', message: 'Invalid input JSON' });
  } else {
    sendFault(response, 500, { category: 'INTERNAL_ERROR', message: String(error) });
  }
};

function expired(): HubSpotFault {
  return {
    category: 'EXPIRED_AUTHENTICATION',
    message: 'The OAuth token used to make this call expired 5 minute(s) ago.',
    context: { 'expire time': [new Date(0).toISOString()] },
  };
}

/** The scope that a call needs; undefined where any will do. */
function scopeOf(method: string, path: string): string | undefined {
  const [, area, name = ''] = /^\/crm\/v3\/(objects|properties|lists)\/([^/]+)/.exec(path) ?? [];
  const kind = /^(compan|0-2)/.test(name) ? 'companies' : 'contacts';
  switch (area) {
    case 'objects':
      return `crm.objects.${kind}.${method === 'GET' || /\/(read|search)$/.test(path) ? 'read' : 'write'}`;
    case 'properties':
      return `crm.schemas.${kind}.${method === 'GET' ? 'read' : 'write'}`;
    case 'lists':
      return 'crm.lists.read';
    default:
      return undefined;
  }
}

function accountDetails(hubDomain: string) {
  return {
    portalId,
    accountType: 'STANDARD',
    timeZone: 'Europe/Berlin',
    companyCurrency: 'EUR',
    additionalCurrencies: [],
    utcOffset: '+01:00',
    utcOffsetMilliseconds: 3_600_000,
    uiDomain: 'app-eu1.hubspot.com',
    dataHostingLocation: 'eu1',
    website: hubDomain,
  };
}
