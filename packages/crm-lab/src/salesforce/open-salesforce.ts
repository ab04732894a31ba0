import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { OAuthSimulator } from '../oauth.ts';
import { type Listening, listen } from '../open-simulator.ts';
import { ApiError, notFound } from './api-error.ts';
import { collectionRoutes } from './collection-routes.ts';
import { type Batches, dataRoutes, listViewRoutes } from './data-routes.ts';
import { Faults } from './faults.ts';
import { type FieldDescription, field } from './fields.ts';
import { Organization, type StoredRecord, type UserPermissions } from './organization.ts';
import { createSalesforceOAuth, type SalesforceOAuthOptions, salesforceUserId } from './salesforce-oauth.ts';
import { setupRoutes } from './setup-routes.ts';

export interface SalesforceOptions {
  /** Any free port if omitted. */
  readonly port?: number;
  readonly oauth?: Partial<Omit<SalesforceOAuthOptions, 'now'>>;
  readonly now?: () => Date;
}

/** The kinds of records that Mailproof works with. */
export type SalesforceObject = 'Contact' | 'Lead' | 'Account';

/** The simulated part of Salesforce: one organization, its authorization server, and its REST API. */
export interface SalesforceSimulator extends Listening {
  readonly oauth: OAuthSimulator;
  readonly organizationId: string;
  readonly faults: Faults;
  readonly batches: Batches;
  readonly permissions: UserPermissions;
  /** Creates records as a user of the organization would, without applying rules, and returns their ids. */
  seed(object: SalesforceObject, records: readonly Readonly<Record<string, unknown>>[]): readonly string[];
  /** Records that are not deleted, in order of creation. */
  records(object: SalesforceObject): readonly Readonly<StoredRecord>[];
  /** Deletes a record as a user of the organization would. */
  deleteRecord(object: SalesforceObject, id: string): void;
  addField(object: SalesforceObject, field: FieldDescription): void;
  /** Adds the field by which Mailproof finds its records, visible to the user. */
  addOwnKey(object: SalesforceObject): void;
  addListView(
    object: SalesforceObject,
    label: string,
    query: string,
    soqlCompatible?: boolean,
    scopeEntityId?: string,
  ): string;
  refuseDuplicates(refuses: boolean): void;
}

/** The simulated version of the REST API; no other version exists. */
const version = 'v62.0';
const apiPath = `/services/data/${version}`;
const usualOrganizationId = '00D000000000LabEAA';

/** Starts a simulated Salesforce on loopback that is both the authorization server and an organization's instance. */
export async function openSalesforce(options: SalesforceOptions = {}): Promise<SalesforceSimulator> {
  const now = options.now ?? (() => new Date());
  const organizationId = options.oauth?.organizationId ?? usualOrganizationId;
  const oauth = createSalesforceOAuth({
    clientId: 'lab-client',
    clientSecret: 'lab-secret',
    redirectUris: [],
    organizationName: 'Lab Limited',
    ...options.oauth,
    organizationId,
    now,
  });
  const organization = new Organization(salesforceUserId, now);
  const faults = new Faults();
  const batches: Batches = { recordsMax: 2_000 };
  const app = express();
  app.disable('x-powered-by');
  app.use(apiPath, faults.watch, checkToken(oauth), faults.fail);
  app.use(oauth.router);
  app.use(apiPath, apiRoutes(organization, organizationId, faults, batches));
  app.get('/services/data', (_request, response) => {
    response.json([{ label: 'Winter ’25', url: apiPath, version: '62.0' }]);
  });
  app.use(() => {
    throw notFound();
  });
  app.use(answerError);
  const listening = await listen(app, options.port);
  return {
    ...listening,
    oauth,
    organizationId,
    faults,
    batches,
    permissions: organization.permissions,
    seed: (object, records) =>
      records.map(record => organization.insert(organization.object(object), record).Id),
    records: object => organization.recordsOf(object),
    deleteRecord(object, id) {
      const record = organization.record(object, id);
      if (record) {
        organization.remove(object, record);
      }
    },
    addField: (object, described) => organization.addField(object, described, false),
    addOwnKey: object => organization.addField(object, ownKey, false),
    addListView(object, label, query, soqlCompatible = true, scopeEntityId) {
      const id = organization.newId('00B');
      const developerName = label.replaceAll(/\W+/g, '_');
      organization.listViews.push({
        id,
        object,
        developerName,
        label,
        soqlCompatible,
        query,
        scopeEntityId: scopeEntityId ?? null,
      });
      return id;
    },
    refuseDuplicates(refuses) {
      organization.refusesDuplicates = refuses;
    },
  };
}

const ownKey = field('mailproof_id__c', 'Mailproof ID', 'string', {
  length: 255,
  unique: true,
  externalId: true,
  idLookup: true,
});

function apiRoutes(
  organization: Organization,
  organizationId: string,
  faults: Faults,
  batches: Batches,
): Router {
  const router = Router();
  router.use(express.json({ limit: '10mb' }));
  router.get('/', (request, response) => {
    const identity = `${request.protocol}://${request.get('host')}/id/${organizationId}/${organization.userId}`;
    response.json({ identity, sobjects: `${apiPath}/sobjects`, query: `${apiPath}/query` });
  });
  router.use(dataRoutes(organization, version, batches));
  router.use(listViewRoutes(organization, version));
  router.use(collectionRoutes(organization, faults.refuse));
  router.use(setupRoutes(organization));
  return router;
}

function checkToken(oauth: OAuthSimulator): RequestHandler {
  return (request, response, next) => {
    const token = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '')?.[1];
    if (token === undefined || !oauth.isAccepted(token)) {
      throw new ApiError(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
    }
    response.set('Sforce-Limit-Info', 'api-usage=1000/100000');
    next();
  };
}

const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof ApiError) {
    response.status(error.status).json(error.body);
    return;
  }
  const status = (error as { status?: unknown }).status;
  response.status(typeof status === 'number' ? status : 500).json([
    {
      message: String(error),
      errorCode: typeof status === 'number' ? 'JSON_PARSER_ERROR' : 'UNKNOWN_EXCEPTION',
    },
  ]);
};
