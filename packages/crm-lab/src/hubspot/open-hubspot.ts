import express from 'express';
import type { OAuthSimulator } from '../oauth.ts';
import { type Listening, listen } from '../open-simulator.ts';
import { sendFault } from './answers.ts';
import {
  answerFaults,
  type CallSeen,
  noteCalls,
  withAccess,
  withLimits,
  withSwitches,
} from './call-stages.ts';
import { createHubSpotOAuth } from './hubspot-oauth.ts';
import { CallWindows, type HubSpotLimits } from './limits.ts';
import { listRoutes } from './list-routes.ts';
import { objectRoutes } from './object-routes.ts';
import { Portal } from './portal.ts';
import type { ObjectType } from './property-catalog.ts';
import { propertyRoutes } from './property-routes.ts';
import type { RefuseRecord } from './records.ts';
import { Switches } from './switches.ts';

export interface HubSpotOptions {
  /** Any free port if omitted. */
  readonly port?: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly redirectUris?: readonly string[];
  readonly hubDomain?: string;
  /** If omitted, far above HubSpot's limits, so that tests are fast; `hubSpotLimits` has HubSpot's. */
  readonly limits?: Partial<HubSpotLimits>;
  readonly now?: () => Date;
}

/** The simulated part of HubSpot: one account with contacts, companies, properties, and lists. */
export interface HubSpotSimulator extends Listening {
  readonly oauth: OAuthSimulator;
  readonly portalId: number;
  readonly hubDomain: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Injects faults for a test. */
  readonly switches: Switches;
  /** All API calls so far, in order. */
  readonly calls: readonly CallSeen[];
  /** Records that are not archived, in the order of their ids, with their values. */
  records(
    objectType: ObjectType,
  ): readonly { readonly id: string; readonly values: Readonly<Record<string, string>> }[];
  /** Creates many records at once and returns their ids. */
  seed(objectType: ObjectType, count: number, values: (index: number) => Record<string, string>): string[];
  archive(objectType: ObjectType, id: string): void;
  addList(name: string, objectType: ObjectType, recordIds: readonly string[]): string;
  /** Sets a rule that refuses the values of a record; a result of undefined accepts them. */
  refuseRecords(objectType: ObjectType, refuses: RefuseRecord): void;
  /** Sets whether one fault refuses a whole batch even if its inputs have trace ids. */
  refuseWholeBatches(refuses: boolean): void;
  freezeSearchIndex(): void;
  thawSearchIndex(): void;
  setLimits(limits: Partial<HubSpotLimits>): void;
}

/** HubSpot's limits for an app at an account on one of its larger plans. */
export const hubSpotLimits: HubSpotLimits = { callsPer10s: 190, searchesPerSecond: 5, callsPerDay: 650_000 };

/** The scopes that an app needs for everything that is simulated. */
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
      Array.from({ length: count }, (_, index) => portal[objectType].create(values(index)).id),
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
