export type { AddressLiteral } from './email-address/address-literal.ts';
export type { DomainName } from './email-address/domain-name.ts';
export { domainName } from './email-address/domain-name-schema.ts';
export type { Fault, FaultCode, Parsed } from './email-address/fault.ts';
export type { LocalPart } from './email-address/local-part.ts';
export { type EmailAddress, parseEmailAddress } from './email-address/parse-email-address.ts';
export { emailAddress, emailAddressIssue } from './email-address/schema.ts';
export * from './ids.ts';
export {
  closeAccountCreditsJob,
  forgetAccountOutcomesJob,
  grantCreditsJob,
  openBillingCycleJob,
  settleHoldJob,
} from './jobs/gateway.ts';
export { defineJobType, type JobType } from './jobs/job-type.ts';
export { forgetVerdictsJob, retryProbeJob } from './jobs/validation-engine.ts';
export { limits } from './limits.ts';
export { buildAppDocument, buildRestDocument } from './openapi/document.ts';
export * from './operation.ts';
export * from './operations/app/account-life.ts';
export { cancelPlanChange } from './operations/app/cancel-plan-change.ts';
export { changePlan } from './operations/app/change-plan.ts';
export { getApiKey } from './operations/app/get-api-key.ts';
export { getPlan } from './operations/app/get-plan.ts';
export { getSession } from './operations/app/get-session.ts';
export { type Role, role, roles } from './operations/app/parts.ts';
export { regenerateApiKey } from './operations/app/regenerate-api-key.ts';
export { signIn } from './operations/app/sign-in.ts';
export { signOut } from './operations/app/sign-out.ts';
export { uploadOutcomesSignedIn } from './operations/app/upload-outcomes-signed-in.ts';
export * from './operations/app/view-balance.ts';
export { accountReceipt, statementEntry } from './operations/app/view-parts.ts';
export * from './operations/app/view-profile.ts';
export * from './operations/app/view-receipts.ts';
export * from './operations/app/view-statement.ts';
export * from './operations/app/view-usage.ts';
export { appOperations, engineOperations, ledgerOperations, restOperations } from './operations/index.ts';
export * from './operations/internal/account-share.ts';
export * from './operations/internal/ledger/allowances.ts';
export * from './operations/internal/ledger/grants.ts';
export * from './operations/internal/ledger/holds.ts';
export {
  balance,
  type EntryKind,
  entryKinds,
  type GrantKind,
  grantAnswer,
  grantKinds,
  type HoldState,
  holdAnswer,
  holdStates,
  ledgerEntry,
  nextCursor,
  pageQuery,
  queryNumber,
  receipt,
} from './operations/internal/ledger/parts.ts';
export * from './operations/internal/ledger/reading.ts';
export { sumUsage } from './operations/internal/ledger/usage.ts';
export {
  type DoNotProbeRecorded,
  recordDoNotProbeRequest,
} from './operations/internal/record-do-not-probe-request.ts';
export {
  type OutcomeReport,
  type ReportedOutcome,
  recordOutcomes,
} from './operations/internal/record-outcomes.ts';
export { type Verdict, validateAddress, verdict } from './operations/internal/validate-address.ts';
export { getMe } from './operations/public/get-me.ts';
export { requestDoNotProbe } from './operations/public/request-do-not-probe.ts';
export { outcomeUpload, uploadOutcomes } from './operations/public/upload-outcomes.ts';
export { emailValidation, validateSingleEmail } from './operations/public/validate-single-email.ts';
export { streamedAnswer, streamedBody } from './operations/public-parts.ts';
export { type ValidationDetails, validationDetails } from './operations/validation-details.ts';
export * from './outcomes.ts';
export * from './plans.ts';
export { prices } from './prices.ts';
export * from './problems.ts';
export * from './security-events.ts';
export { type ServiceName, serviceNames } from './service-name.ts';
export * from './verdict.ts';
