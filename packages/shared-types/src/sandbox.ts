import type { EmailAddress } from './email-address/parse-email-address.ts';
import type { Verdict } from './operations/internal/validate-address.ts';
import type { ProblemCode } from './problems.ts';
import type { ValidationResult } from './verdict.ts';
import { type VerdictReason, verdictReasons } from './verdict-reasons.ts';

/** The domain of the sandbox's addresses. No name below `.test` can ever exist (RFC 6761 section 6.2). */
export const sandboxDomain = 'sandbox.mailproof.test';

/** Whether a host or a company's domain, in lower case, is one of the sandbox. */
export function isSandboxHost(host: string): boolean {
  return host === sandboxDomain || host.endsWith(`.${sandboxDomain}`);
}

/** Whether an address is at a host of the sandbox, which may not have it. */
export function isAtSandbox({ normalized }: EmailAddress): boolean {
  return isSandboxHost(normalized.slice(normalized.lastIndexOf('@') + 1));
}

/** Whether a URL, with or without a scheme, is at a host of the sandbox. */
export function isSandboxUrl(url: string): boolean {
  const trimmed = url.trim();
  const parsed = URL.parse(/^https?:/i.test(trimmed) ? trimmed : `https://${trimmed}`);
  return isSandboxHost(parsed?.hostname.replace(/\.$/, '') ?? '');
}

/** The balance that test keys see; nothing changes it. */
export const sandboxCredits = 1_000;

/** The answer to one documented address. */
export type SandboxEntry =
  | { readonly kind: 'verdict'; readonly result: ValidationResult; readonly reason: VerdictReason }
  | { readonly kind: 'problem'; readonly code: ProblemCode };

/** The result of each reason, as the engine decides. */
const resultOf: Readonly<Record<VerdictReason, ValidationResult>> = {
  mailbox_exists: 'ok',
  catch_all: 'catch_all',
  evidence_confirms: 'catch_all_validated',
  mailbox_missing: 'invalid',
  mailbox_disabled: 'invalid',
  domain_missing: 'invalid',
  no_mail_host: 'invalid',
  mailbox_full: 'unknown',
  mailbox_rate_limited: 'unknown',
  greylisted: 'unknown',
  blocked: 'unknown',
  policy: 'unknown',
  temporary_failure: 'unknown',
  protocol_error: 'unknown',
  probe_inconclusive: 'unknown',
  host_busy: 'unknown',
  connection_failed: 'unknown',
  session_timeout: 'unknown',
  forbidden_address: 'unknown',
  dns_timeout: 'unknown',
  dns_failure: 'unknown',
  smtputf8_unsupported: 'unknown',
  unsupported_address: 'unknown',
  do_not_probe: 'unknown',
  harvest_suspected: 'unknown',
  own_network_failed: 'unknown',
};

/** A typical reason of each result. */
const reasonOf: Readonly<Record<ValidationResult, VerdictReason>> = {
  ok: 'mailbox_exists',
  catch_all_validated: 'evidence_confirms',
  catch_all: 'catch_all',
  invalid: 'mailbox_missing',
  unknown: 'session_timeout',
};

const problems = {
  'error-402': 'credits_exhausted',
  'error-429': 'rate_limited',
  'error-500': 'internal_error',
  'error-503': 'service_unavailable',
} as const satisfies Readonly<Record<string, ProblemCode>>;

/** The problem that a name of the sandbox simulates, such as `error-402`; undefined for all other names. */
export function simulatedProblemOf(name: string): ProblemCode | undefined {
  return Object.entries(problems).find(([each]) => each === name)?.[1];
}

const named = (name: string) => name.replaceAll('_', '-');

/** Every local part of the sandbox with its answer: each result, each reason, each error. */
export const sandboxEntries: ReadonlyMap<string, SandboxEntry> = new Map<string, SandboxEntry>([
  ...(Object.entries(reasonOf) as [ValidationResult, VerdictReason][]).map(
    ([result, reason]) => [named(result), { kind: 'verdict', result, reason }] as const,
  ),
  ...(Object.entries(resultOf) as [VerdictReason, ValidationResult][]).map(
    ([reason, result]) => [named(reason), { kind: 'verdict', result, reason }] as const,
  ),
  ...Object.entries(problems).map(([name, code]) => [name, { kind: 'problem', code }] as const),
]);

/** Finds the answer to an address; undefined if it is not one of the sandbox. Upper and lower case are the same. */
export function findInSandbox({ normalized }: EmailAddress): SandboxEntry | undefined {
  const [localPart = '', domain] = normalized.toLowerCase().split('@');
  return domain === sandboxDomain ? sandboxEntries.get(localPart) : undefined;
}

/** Which addresses the sandbox has, for a client that sent another one. */
export const sandboxAddressesText = `The sandbox has only these names, followed by @${sandboxDomain}: ${[...sandboxEntries.keys()].join(', ')}.`;

/** Reasons that were found before any mail host was known. */
const withoutHost: ReadonlySet<VerdictReason> = new Set([
  'domain_missing',
  'no_mail_host',
  'dns_timeout',
  'dns_failure',
  'unsupported_address',
]);

/** The verdict of an entry, in the form of the engine's. */
export function sandboxVerdict(
  { result, reason }: Extract<SandboxEntry, { kind: 'verdict' }>,
  { normalized }: EmailAddress,
): Verdict {
  const hasHost = !withoutHost.has(reason);
  const mxHost = `mx.${sandboxDomain}`;
  const posterior = { catch_all_validated: 0.99, catch_all: 0.5 }[result as string];
  return {
    result,
    reason,
    emailType: 'business',
    ...(hasHost && { mxHost, mxDomain: sandboxDomain, secureEmailGateway: false }),
    details: {
      reason,
      explanation: verdictReasons[reason],
      normalised_email: normalized,
      role: false,
      disposable: false,
      ...(hasHost && { mx_host: mxHost }),
      age_seconds: 0,
      time_ms: 0,
      ...(posterior !== undefined && {
        catch_all: { posterior, prior: 0.5, weights_version: 'sandbox', evidence: [] },
      }),
      sessions: [],
    },
    elapsedMs: 0,
  };
}

const gaps: readonly (readonly [reason: string, operationIds: readonly string[]])[] = [
  [
    'Test keys move no credits, so there is nothing to show or to set; `GET /me` shows the balance of the sandbox.',
    [
      'view-balance',
      'view-statement',
      'download-statement',
      'view-receipts',
      'view-receipt',
      'view-usage',
      'get-plan',
      'get-credit-threshold',
      'put-credit-threshold',
    ],
  ],
  [
    'A CRM is connected by the consent of a person in a browser, and only to an account itself; try it with a test account of the CRM, and with `dry_run`.',
    [
      'suggest-crm-mapping',
      'undo-export',
      'list-crm-connections',
      'disconnect-crm',
      'list-crm-properties',
      'create-write-back-properties',
      'list-crm-segments',
      'create-crm-import',
      'list-crm-imports',
      'get-crm-import',
      'follow-crm-import',
      'cancel-crm-import',
      'delete-crm-import',
    ],
  ],
  [
    'Imported people belong to an account itself. Try an import with `POST /people-imports/{import_id}/preview`, which is free and imports nothing.',
    [
      'create-people-import',
      'list-people-imports',
      'get-people-import',
      'follow-people-import',
      'preview-people-import',
      'start-people-import',
      'cancel-people-import',
      'download-refused-people',
      'delete-people-import',
    ],
  ],
  [
    'Test keys ask no provider; `POST /profile-provider/tests` tries one with a live key, and is not charged.',
    ['get-profile-provider', 'put-profile-provider', 'delete-profile-provider', 'test-profile-provider'],
  ],
];

/** Why an operation that a key opens has no sandbox, by the id of the operation. */
export const sandboxGaps: ReadonlyMap<string, string> = new Map(
  gaps.flatMap(([reason, ids]) => ids.map(id => [id, reason] as const)),
);
