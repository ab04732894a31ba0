import { z } from 'zod';

/** The visible prefix of each kind of id. */
const idPrefixes = {
  account: 'acct',
  allowanceUse: 'use',
  apiKey: 'key',
  assistant: 'asst',
  company: 'comp',
  creditGrant: 'grant',
  crmConnection: 'crm',
  crmImport: 'crmimp',
  deferredProbe: 'probe',
  discoveryRun: 'run',
  discoverySearch: 'srch',
  event: 'evt',
  eventDelivery: 'dlv',
  export: 'exp',
  hold: 'hold',
  invitation: 'invite',
  link: 'link',
  mail: 'mail',
  outcomeReport: 'report',
  outcomeSource: 'osrc',
  payment: 'pay',
  peopleImport: 'pimp',
  person: 'pers',
  refund: 'refund',
  request: 'req',
  savedList: 'list',
  session: 'sess',
  signingKey: 'sigkey',
  user: 'user',
  validationJob: 'vjob',
  webhookEndpoint: 'hook',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** An id that neither the compiler nor a reader can confuse with an id of another kind. */
export type Id<Kind extends IdKind> = string & z.$brand<Kind>;

const bodyPattern = '[0-9a-f]{32}';

function idSchema<Kind extends IdKind>(kind: Kind) {
  return z
    .string()
    .regex(
      new RegExp(`^${idPrefixes[kind]}_${bodyPattern}$`),
      `must be ${idPrefixes[kind]}_ followed by 32 hexadecimal digits`,
    )
    .describe(`Begins with \`${idPrefixes[kind]}_\`.`)
    .brand<Kind>();
}

export const accountId = idSchema('account');
export const allowanceUseId = idSchema('allowanceUse');
export const apiKeyId = idSchema('apiKey');
export const assistantId = idSchema('assistant');
export const companyId = idSchema('company');
export const creditGrantId = idSchema('creditGrant');
export const crmConnectionId = idSchema('crmConnection');
export const crmImportId = idSchema('crmImport');
export const deferredProbeId = idSchema('deferredProbe');
export const discoveryRunId = idSchema('discoveryRun');
export const discoverySearchId = idSchema('discoverySearch');
export const eventId = idSchema('event');
export const eventDeliveryId = idSchema('eventDelivery');
export const exportId = idSchema('export');
export const holdId = idSchema('hold');
export const invitationId = idSchema('invitation');
export const linkId = idSchema('link');
export const mailId = idSchema('mail');
export const outcomeReportId = idSchema('outcomeReport');
export const outcomeSourceId = idSchema('outcomeSource');
export const paymentId = idSchema('payment');
export const peopleImportId = idSchema('peopleImport');
export const personId = idSchema('person');
export const refundId = idSchema('refund');
export const requestId = idSchema('request');
export const savedListId = idSchema('savedList');
export const sessionId = idSchema('session');
export const userId = idSchema('user');
export const validationJobId = idSchema('validationJob');
export const webhookEndpointId = idSchema('webhookEndpoint');

/** What started something: a user, or a program with this API key. */
export const creatorId = z
  .union([userId, apiKeyId])
  .describe('The user, or the API key with which a program called: begins with `user_` or `key_`.');

export type AccountId = Id<'account'>;
export type AllowanceUseId = Id<'allowanceUse'>;
export type ApiKeyId = Id<'apiKey'>;
export type AssistantId = Id<'assistant'>;
export type CompanyId = Id<'company'>;
export type CreditGrantId = Id<'creditGrant'>;
export type CrmConnectionId = Id<'crmConnection'>;
export type CrmImportId = Id<'crmImport'>;
export type DeferredProbeId = Id<'deferredProbe'>;
export type DiscoveryRunId = Id<'discoveryRun'>;
export type DiscoverySearchId = Id<'discoverySearch'>;
export type EventId = Id<'event'>;
export type EventDeliveryId = Id<'eventDelivery'>;
export type ExportId = Id<'export'>;
export type HoldId = Id<'hold'>;
export type InvitationId = Id<'invitation'>;
export type LinkId = Id<'link'>;
export type MailId = Id<'mail'>;
export type OutcomeReportId = Id<'outcomeReport'>;
export type OutcomeSourceId = Id<'outcomeSource'>;
export type PaymentId = Id<'payment'>;
export type PeopleImportId = Id<'peopleImport'>;
export type PersonId = Id<'person'>;
export type RefundId = Id<'refund'>;
export type RequestId = Id<'request'>;
export type SavedListId = Id<'savedList'>;
export type SessionId = Id<'session'>;
export type UserId = Id<'user'>;
export type CreatorId = UserId | ApiKeyId;
export type ValidationJobId = Id<'validationJob'>;
export type WebhookEndpointId = Id<'webhookEndpoint'>;

/**
 * Makes a new id. The first 48 bits are the time in milliseconds, as in a version 7 UUID (RFC 9562 section 5.7), so
 * that later ids sort later and B-tree inserts stay at the right edge. The other 80 bits are random. They come from the
 * two ends of a random UUID, which have no fixed bits. Node keeps a pool of random octets for UUIDs: every request gets
 * an id, and generating ten random octets for each would cost ten times as much.
 */
export function newId<Kind extends IdKind>(kind: Kind, nowMs: number = Date.now()): Id<Kind> {
  const uuid = crypto.randomUUID();
  const random = uuid.slice(0, 8) + uuid.slice(24);
  return idWithBody(kind, `${nowMs.toString(16).padStart(12, '0')}${random}`);
}

/** Returns the id of the given kind with a body of 32 hexadecimal digits. */
export function idWithBody<Kind extends IdKind>(kind: Kind, body: string): Id<Kind> {
  return `${idPrefixes[kind]}_${body}` as Id<Kind>;
}

/** The body of ids in examples; no record has it. */
export const exampleIdBody = '0193a4c1e5f74b8d2c6e9a1f3b5d7c80';

/** An id for the examples of the reference. */
export function exampleId<Kind extends IdKind>(kind: Kind): Id<Kind> {
  return idWithBody(kind, exampleIdBody);
}

/**
 * The account in which everything lives that test keys create: jobs, exports, webhook endpoints. It has the id of the
 * account with its first digit changed, which is that of no account: ids begin with the time, and the time begins with
 * this digit from the year 10,332 on (ADR 0073). The ledger knows no such account, so nothing can be charged.
 */
export function sandboxAccountOf(accountId: AccountId): AccountId {
  return accountId.replace(accountStart, sandboxStart) as AccountId;
}

/** True for an account that only test keys and the pages about them use. */
export function isSandboxAccount(accountId: AccountId): boolean {
  return accountId.startsWith(sandboxStart);
}

const accountStart = /^acct_./;
const sandboxStart = 'acct_f';
