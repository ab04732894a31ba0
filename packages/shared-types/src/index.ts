export * from './assistants.ts';

export * from './crm/crm-connection.ts';
export * from './crm/crm-import.ts';
export * from './crm/crm-mapping.ts';
export * from './crm/crm-object.ts';
export * from './crm/crm-property.ts';
export * from './crm/crm-push.ts';
export * from './crm/write-back-properties.ts';
export { defineOperation } from './define-operation.ts';
export * from './discovery/company-filters.ts';
export * from './discovery/company-record.ts';
export * from './discovery/company-search-filters.ts';
export * from './discovery/coverage.ts';
export * from './discovery/discovery-run.ts';
export * from './discovery/enriched-profile.ts';
export * from './discovery/lookalike-search.ts';
export * from './discovery/people-filters.ts';
export * from './discovery/people-import.ts';
export * from './discovery/people-import-fields.ts';
export * from './discovery/person-record.ts';
export * from './discovery/vocabularies.ts';
export type { AddressLiteral } from './email-address/address-literal.ts';
export { domainName } from './email-address/domain-name-schema.ts';
export type { Fault, FaultCode, Parsed } from './email-address/fault.ts';
export type { DomainName, LocalPart } from './email-address/parse-email-address.ts';
export {
  type EmailAddress,
  emailAddress,
  emailAddressIssue,
  parseEmailAddress,
} from './email-address/parse-email-address.ts';
export { trimUnseen } from './email-address/unseen-characters.ts';
export * from './events/event.ts';
export * from './events/event-examples.ts';
export * from './events/notice.ts';
export { type NoticeWords, noticeWords } from './events/notice-words.ts';
export * from './events/webhook-endpoint.ts';
export * from './exports/csv-options.ts';
export * from './exports/delivery-faults.ts';
export * from './exports/export.ts';
export * from './exports/export-source.ts';
export { isPlainNumber, safeCell, withoutGuards } from './exports/safe-cell.ts';
export * from './exports/webhook-destination.ts';
export * from './exports/webhook-presets.ts';
export * from './ids.ts';
export { chargePreviewJob, deliverRunJob, runPeopleImportJob } from './jobs/enrichment.ts';
export {
  alignSubscriptionsJob,
  closeAccountCreditsJob,
  collectChargeJob,
  disconnectUserAssistantsJob,
  forgetAccountAssistantsJob,
  forgetAccountExportsJob,
  forgetAccountOutcomesJob,
  forgetAccountProfilesJob,
  grantCreditsJob,
  openBillingCycleJob,
  reconcilePaymentsJob,
  sendMailJob,
  sendNoticeJob,
  settleHoldJob,
} from './jobs/gateway.ts';
export { defineJobType, type JobType } from './jobs/job-type.ts';
export { forgetVerdictsJob, retryProbeJob, runValidationJobJob } from './jobs/validation-engine.ts';
export { deliverEventJob, runCrmImportJob, runExportJob, undoExportJob } from './jobs/webhook-dispatcher.ts';
export * from './key-scopes.ts';
export { limits } from './limits.ts';
export { buildAppDocument, buildRestDocument } from './openapi/document.ts';
export * from './operation.ts';
export { acceptInvitation } from './operations/app/accept-invitation.ts';
export * from './operations/app/account-life.ts';
export * from './operations/app/api-keys.ts';
export * from './operations/app/assistants.ts';
export { cancelPlanChange } from './operations/app/cancel-plan-change.ts';
export { changeMemberRole } from './operations/app/change-member-role.ts';
export { changePassword } from './operations/app/change-password.ts';
export { changePlan } from './operations/app/change-plan.ts';
export { checkAddress } from './operations/app/check-address.ts';
export * from './operations/app/company-searches.ts';
export { confirmEmailChange } from './operations/app/confirm-email-change.ts';
export { confirmPasswordReset } from './operations/app/confirm-password-reset.ts';
export { confirmSignUp } from './operations/app/confirm-sign-up.ts';
export { countPeople } from './operations/app/count-people.ts';
export * from './operations/app/credit-threshold.ts';
export * from './operations/app/crm-connections.ts';
export * from './operations/app/crm-imports.ts';
export * from './operations/app/crm-pushes.ts';
export * from './operations/app/discovery-runs.ts';
export { endSession } from './operations/app/end-session.ts';
export * from './operations/app/exports.ts';
export { getApiKey } from './operations/app/get-api-key.ts';
export { getPlan } from './operations/app/get-plan.ts';
export { getSearchVocabulary } from './operations/app/get-search-vocabulary.ts';
export { getSession } from './operations/app/get-session.ts';
export { inviteMember } from './operations/app/invite-member.ts';
export * from './operations/app/job-comparisons.ts';
export { listMembers } from './operations/app/list-members.ts';
export { listSecurityEvents } from './operations/app/list-security-events.ts';
export { listSessions } from './operations/app/list-sessions.ts';
export * from './operations/app/lookalike-runs.ts';
export * from './operations/app/lookalike-searches.ts';
export * from './operations/app/notices.ts';
export { buyCredits, openPaymentPortal } from './operations/app/online-payment.ts';
export * from './operations/app/opt-outs.ts';
export * from './operations/app/outcome-sources.ts';
export * from './operations/app/people-imports.ts';
export * from './operations/app/people-searches.ts';
export * from './operations/app/profile-provider.ts';
export { regenerateApiKey } from './operations/app/regenerate-api-key.ts';
export { removeMember } from './operations/app/remove-member.ts';
export { requestEmailChange } from './operations/app/request-email-change.ts';
export { requestPasswordReset } from './operations/app/request-password-reset.ts';
export { requestSignUp } from './operations/app/request-sign-up.ts';
export * from './operations/app/saved-lists.ts';
export * from './operations/app/saved-people.ts';
export { signIn } from './operations/app/sign-in.ts';
export { signOut } from './operations/app/sign-out.ts';
export { signOutEverywhere } from './operations/app/sign-out-everywhere.ts';
export { uploadOutcomesSignedIn } from './operations/app/upload-outcomes-signed-in.ts';
export {
  accountName,
  newPassword,
  type Role,
  role,
  roles,
  typedPassword,
} from './operations/app/user-parts.ts';
export * from './operations/app/validation-job-runs.ts';
export * from './operations/app/validation-jobs.ts';
export * from './operations/app/view-balance.ts';
export { accountReceipt, statementEntry } from './operations/app/view-parts.ts';
export * from './operations/app/view-profile.ts';
export * from './operations/app/view-receipts.ts';
export * from './operations/app/view-statement.ts';
export * from './operations/app/view-usage.ts';
export * from './operations/app/webhook-endpoints.ts';
export * from './operations/app/webhook-pushes.ts';
export { withdrawInvitation } from './operations/app/withdraw-invitation.ts';
export { type AssistantOwner, assistantOwner, forAssistant } from './operations/for-assistant.ts';
export { type ForwardedOperation, type ForwardedParams, forwarded } from './operations/forwarded.ts';
export {
  appOperations,
  assistantOperations,
  forwardedOperations,
  isForTools,
  type Operations,
  operations,
  peerOperations,
  restOperations,
  toolOperations,
} from './operations/index.ts';
export * from './operations/internal/account-share.ts';
export * from './operations/internal/crm-jobs.ts';
export * from './operations/internal/enrich-profile.ts';
export * from './operations/internal/export-sources.ts';
export * from './operations/internal/gateway/assistant-access.ts';
export { checkPassword } from './operations/internal/gateway/check-password.ts';
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
  type Movements,
  movements,
  nextCursor,
  pageQuery,
  queryNumber,
  receipt,
} from './operations/internal/ledger/parts.ts';
export * from './operations/internal/ledger/reading.ts';
export { sumUsage } from './operations/internal/ledger/usage.ts';
export * from './operations/internal/match-known-people.ts';
export * from './operations/internal/mcp/assistants.ts';
export {
  findOutcomeSource,
  type OutcomeRequest,
  takeOutcomeEvents,
} from './operations/internal/receive-outcomes.ts';
export {
  type DoNotProbeRecorded,
  recordDoNotProbeRequest,
} from './operations/internal/record-do-not-probe-request.ts';
export {
  hasPaidHeader,
  hasPaidHeaders,
  type OutcomeReport,
  type ReportedOutcome,
  recordOutcomes,
} from './operations/internal/record-outcomes.ts';
export * from './operations/internal/suppress-profile.ts';
export * from './operations/internal/take-events.ts';
export { type Verdict, validateAddress, verdict } from './operations/internal/validate-address.ts';
export { getMe } from './operations/public/get-me.ts';
export { profileEnrichment, profileEnrichmentResult } from './operations/public/profile-enrichment.ts';
export {
  outcomeSourceToken,
  receivedOutcomes,
  receiveOutcomes,
} from './operations/public/receive-outcomes.ts';
export { requestDoNotProbe } from './operations/public/request-do-not-probe.ts';
export { outcomeUpload, uploadOutcomes } from './operations/public/upload-outcomes.ts';
export { emailValidation, validateSingleEmail } from './operations/public/validate-single-email.ts';
export { streamedAnswer, streamedBody } from './operations/public-parts.ts';
export { type ValidationDetails, validationDetails } from './operations/validation-details.ts';
export { opensByKey, withKey } from './operations/with-key.ts';
export * from './outcome-sources.ts';
export * from './outcomes.ts';
export * from './plans.ts';
export { type PriceName, prices } from './prices.ts';
export * from './problems.ts';
export type { RateDecision, RateLimiter } from './rate-limiter.ts';
export * from './sandbox.ts';
export * from './security-events.ts';
export { type ServiceName, serviceNames } from './service-name.ts';
export * from './streams.ts';
export * from './tools.ts';
export * from './validation-jobs/validation-job.ts';
export * from './validation-jobs/validation-job-row.ts';
export * from './verdict.ts';
