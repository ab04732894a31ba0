import { type Handler, Problem } from '@mailproof/service-kit';
import {
  type AccountId,
  checkAddress,
  type DoNotProbeRecorded,
  type EnrichmentOutcome,
  isAtSandbox,
  isDeliverable,
  isSandboxUrl,
  type Operation,
  type OperationInput,
  type OperationResult,
  profileEnrichment,
  type requestDoNotProbe,
  sandboxAccountOf,
  sandboxCredits,
  validateSingleEmail,
} from '@mailproof/shared-types';
import type { Account } from '../domain/accounts/account.ts';
import type { ChargedEnrichment, EnrichmentRequest, ProfilePort } from '../domain/charging/enrich-profile.ts';
import type { ValidationOutcome, ValidationRequest } from '../domain/charging/validate-single-email.ts';
import { type OutcomeUpload, UploadFault } from '../domain/outcomes/upload-outcomes.ts';
import { type ChargingOptions, chargingHandler } from './charging.ts';
import type { GatewayHandlers, ProgramCaller } from './guards/gateway-callers.ts';
import type { SignedInCaller } from './guards/session-guard.ts';
import { verdictInSandbox, withSandbox } from './sandbox.ts';

export interface PublicInterfacePorts {
  readonly availableCredits: (accountId: AccountId) => Promise<number>;
  readonly validate: Validate;
  readonly enrich: (request: EnrichmentRequest) => Promise<ChargedEnrichment>;
  /** Looks a profile up in the sandbox, free of charge. */
  readonly findProfile: ProfilePort['enrich'];
  /** Passes a mail host owner's request to the service that probes. */
  readonly record: (
    request: OperationInput<typeof requestDoNotProbe>['body'],
    signal: AbortSignal,
  ) => Promise<DoNotProbeRecorded>;
  readonly upload: UploadOutcomes;
  readonly charging: ChargingOptions;
  /** The longest time that one enrichment can take; another attempt may take over after that. */
  readonly enrichmentMsMax: number;
}

/** The public REST interface, and those of its operations that also accept a session. */
export function publicInterfaceHandlers({
  availableCredits,
  validate,
  enrich,
  findProfile,
  record,
  upload,
  charging,
  enrichmentMsMax,
}: PublicInterfacePorts) {
  const creditsOf = async ({ accountId, isTest }: ProgramCaller) =>
    isTest ? sandboxCredits : availableCredits(accountId);
  const enriching = { ...charging, attemptMsMax: enrichmentMsMax };
  return {
    async getMe(_input, { caller, setHeader }) {
      const credits = await creditsOf(caller);
      setHeader('x-credits-remaining', credits);
      return { credits };
    },

    validateSingleEmail: withSandbox(
      chargingHandler(validateSingleEmail, charging, async ({ body, query }, { caller, runId, signal }) => {
        const { accountId } = caller;
        const cause = validateSingleEmail.id;
        const outcome = await validate({ accountId, runId, cause, email: body.email, signal });
        return { ...outcome, result: answerWith(query, body.email.input, outcome) };
      }),
      async ({ body, query }, { caller, setHeader }) => {
        const verdict = verdictInSandbox(body.email);
        setHeader('x-credits-remaining', await creditsOf(caller));
        return answerWith(query, body.email.input, { verdict, charged: false });
      },
      ({ body }) => isAtSandbox(body.email),
    ),

    profileEnrichment: withSandbox(
      chargingHandler(profileEnrichment, enriching, async ({ body, query }, context) => {
        const { found, ...charged } = await enrich({
          accountId: context.caller.accountId,
          runId: context.runId,
          profileUrl: body.profile_url,
          maxAgeSeconds: query.max_age,
          signal: context.signal,
        });
        return { ...charged, result: profileAnswer(query, found, context) };
      }),
      async ({ body, query }, context) => {
        const found = await findProfile({
          accountId: sandboxAccountOf(context.caller.accountId),
          profileUrl: body.profile_url,
          maxAgeSeconds: query.max_age,
          signal: context.signal,
        });
        context.setHeader('x-credits-remaining', await creditsOf(context.caller));
        return profileAnswer(query, found, context);
      },
      ({ body }) => isSandboxUrl(body.profile_url),
    ),

    async requestDoNotProbe({ body }, { signal }) {
      const { txtName, txtValue, ...recorded } = await record(body, signal);
      return { ...recorded, txt_name: txtName, txt_value: txtValue };
    },

    uploadOutcomes: ({ body }, { caller: { accountId, isTest }, signal }) =>
      uploadFor(isTest ? sandboxAccountOf(accountId) : accountId, upload, body, signal),

    uploadOutcomesSignedIn: ({ body }, { caller, signal }) =>
      uploadFor(caller.account.accountId, upload, body, signal),

    /** Charged like a validation through the API (ADR 0044). */
    checkAddress: forAccount(
      chargingHandler(checkAddress, charging, async ({ body: { email } }, { caller, runId, signal }) => {
        const { accountId } = caller;
        const outcome = await validate({ accountId, runId, cause: checkAddress.id, email, signal });
        const details = outcome.verdict.details;
        return { ...outcome, result: { ...answerOf(email.input, outcome), details } };
      }),
    ),
  } satisfies Partial<GatewayHandlers>;
}

type Validated = Pick<ValidationOutcome, 'verdict' | 'charged'>;

export type Validate = (request: ValidationRequest) => Promise<ValidationOutcome>;

/** Charges a signed-in user's account. */
function forAccount<Op extends Operation>(handler: Handler<Op, Account>): Handler<Op, SignedInCaller> {
  return (input, context) => handler(input, { ...context, caller: context.caller.account });
}

/** The fields of a profile, with their sources if the query asks for them; none if it is not found. */
function profileAnswer(
  { provenance }: OperationInput<typeof profileEnrichment>['query'],
  found: EnrichmentOutcome,
  { setHeader }: Pick<Parameters<Handler<typeof profileEnrichment, Account>>[1], 'setHeader'>,
): OperationResult<typeof profileEnrichment> {
  if (found.outcome === 'notFound') {
    return {};
  }
  setHeader('age', found.ageSeconds);
  return { ...found.profile, ...(provenance && { provenance: found.provenance }) };
}

/** The answer about one address, with `details` if the query asks for it. */
function answerWith({ details }: { readonly details: boolean }, email: string, outcome: Validated) {
  return { ...answerOf(email, outcome), details: details ? outcome.verdict.details : undefined };
}

/** The answer about one address, without `details`. */
function answerOf(
  email: string,
  outcome: Validated,
): Omit<OperationResult<typeof validateSingleEmail>, 'details'> {
  const { verdict, charged } = outcome;
  return {
    email,
    valid: isDeliverable(verdict.result),
    result: verdict.result,
    mx_domain: verdict.mxDomain,
    email_type: verdict.emailType,
    mx_provider: verdict.mxProvider,
    credits_consumed: charged,
    mx_secure_email_gateway: verdict.secureEmailGateway,
  };
}

/** Accepts an upload and reports the outcomes of its rows. */
export type UploadOutcomes = (
  accountId: AccountId,
  csv: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) => Promise<OutcomeUpload>;

async function uploadFor(
  accountId: AccountId,
  upload: UploadOutcomes,
  csv: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<OutcomeUpload> {
  try {
    return await upload(accountId, csv, signal);
  } catch (error) {
    throw error instanceof UploadFault ? problemOf(error) : error;
  }
}

function problemOf(fault: UploadFault): Problem {
  const detail = `${fault.message} The rows before this one are recorded; if you send the file again, they count once.`;
  return new Problem(fault.kind === 'too_many_rows' ? 'body_too_large' : 'invalid_request', {
    detail,
    cause: fault,
  });
}
