import type { Operation } from '../operation.ts';
import type { ServiceName } from '../service-name.ts';
import { acceptInvitation } from './app/accept-invitation.ts';
import { deleteAccount, exportAccount } from './app/account-life.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './app/api-keys.ts';
import { disconnectAssistantSignedIn, listConnectedAssistants } from './app/assistants.ts';
import { cancelPlanChange } from './app/cancel-plan-change.ts';
import { changeMemberRole } from './app/change-member-role.ts';
import { changePassword } from './app/change-password.ts';
import { changePlan } from './app/change-plan.ts';
import { checkAddress } from './app/check-address.ts';
import {
  beginCompanySearch,
  changeCompanySearch,
  countCompanies,
  deleteCompanySearch,
  getCompanySearch,
  listCompaniesOfSearch,
  listCompanySearches,
  listSavedCompanies,
  renameCompanySearch,
  startCompanyRun,
} from './app/company-searches.ts';
import { confirmEmailChange } from './app/confirm-email-change.ts';
import { confirmPasswordReset } from './app/confirm-password-reset.ts';
import { confirmSignUp } from './app/confirm-sign-up.ts';
import { countPeople } from './app/count-people.ts';
import { getCreditThreshold, putCreditThreshold } from './app/credit-threshold.ts';
import {
  beginCrmConnection,
  completeCrmConnection,
  createWriteBackProperties,
  disconnectCrm,
  listCrmConnections,
  listCrmProperties,
  listCrmSegments,
} from './app/crm-connections.ts';
import {
  cancelCrmImport,
  createCrmImport,
  deleteCrmImport,
  followCrmImport,
  getCrmImport,
  listCrmImports,
} from './app/crm-imports.ts';
import { suggestCrmMapping, undoExport } from './app/crm-pushes.ts';
import {
  cancelDiscoveryRun,
  followDiscoveryRun,
  getDiscoveryRun,
  listDiscoveryRuns,
  startDiscoveryRun,
} from './app/discovery-runs.ts';
import { endSession } from './app/end-session.ts';
import {
  createExport,
  deleteExport,
  downloadExport,
  downloadExportLines,
  downloadFailedRows,
  followExport,
  getExport,
  listExportRows,
  listExports,
  resendFailedRows,
  surveyExport,
} from './app/exports.ts';
import { getApiKey } from './app/get-api-key.ts';
import { getPlan } from './app/get-plan.ts';
import { getSearchVocabulary } from './app/get-search-vocabulary.ts';
import { getSession } from './app/get-session.ts';
import { inviteMember } from './app/invite-member.ts';
import {
  compareValidationJobs,
  downloadChangedAddresses,
  listChangedAddresses,
} from './app/job-comparisons.ts';
import { listMembers } from './app/list-members.ts';
import { listSecurityEvents } from './app/list-security-events.ts';
import { listSessions } from './app/list-sessions.ts';
import { startLookalikeRun } from './app/lookalike-runs.ts';
import {
  beginLookalikeSearch,
  changeLookalikeSearch,
  deleteLookalikeSearch,
  getLookalikeSearch,
  listLookalikeCompanies,
  listLookalikeSearches,
  renameLookalikeSearch,
} from './app/lookalike-searches.ts';
import {
  getNoticeSettings,
  listNotices,
  markNoticeRead,
  putNoticeSettings,
  stopNoticeMail,
} from './app/notices.ts';
import { buyCredits, openPaymentPortal } from './app/online-payment.ts';
import { confirmOptOut, requestOptOut } from './app/opt-outs.ts';
import {
  changeOutcomeSource,
  createOutcomeSource,
  deleteOutcomeSource,
  getOutcomeSource,
  listOutcomeSources,
  replaceOutcomeSourceUrl,
} from './app/outcome-sources.ts';
import {
  cancelPeopleImport,
  createPeopleImport,
  deletePeopleImport,
  downloadRefusedPeople,
  followPeopleImport,
  getPeopleImport,
  listPeopleImports,
  previewPeopleImport,
  startPeopleImport,
} from './app/people-imports.ts';
import {
  beginPeopleSearch,
  changePeopleSearch,
  deletePeopleSearch,
  getPeopleSearch,
  listPeopleOfSearch,
  listPeopleSearches,
  renamePeopleSearch,
} from './app/people-searches.ts';
import {
  deleteProfileProvider,
  getProfileProvider,
  putProfileProvider,
  testProfileProvider,
} from './app/profile-provider.ts';
import { regenerateApiKey } from './app/regenerate-api-key.ts';
import { removeMember } from './app/remove-member.ts';
import { requestEmailChange } from './app/request-email-change.ts';
import { requestPasswordReset } from './app/request-password-reset.ts';
import { requestSignUp } from './app/request-sign-up.ts';
import {
  addListEntries,
  changeSavedList,
  createSavedList,
  deleteSavedList,
  getSavedList,
  listListDomains,
  listListEntries,
  listSavedLists,
  removeListEntries,
} from './app/saved-lists.ts';
import { getSavedPerson, listSavedPeople, removeSavedPeople } from './app/saved-people.ts';
import { signIn } from './app/sign-in.ts';
import { signOut } from './app/sign-out.ts';
import { signOutEverywhere } from './app/sign-out-everywhere.ts';
import { uploadOutcomesSignedIn } from './app/upload-outcomes-signed-in.ts';
import {
  cancelValidationJob,
  finishValidationJob,
  followValidationJob,
  pauseValidationJob,
  resumeValidationJob,
  revalidateUnknownRows,
  startValidationJob,
} from './app/validation-job-runs.ts';
import {
  changeValidationJob,
  createValidationJob,
  createValidationJobFromList,
  deleteValidationJob,
  getValidationJob,
  listValidationJobRows,
  listValidationJobs,
  summarizeValidationJob,
} from './app/validation-jobs.ts';
import { viewBalance } from './app/view-balance.ts';
import { renameAccount, viewProfile } from './app/view-profile.ts';
import { viewReceipt, viewReceipts } from './app/view-receipts.ts';
import { downloadStatement, viewStatement } from './app/view-statement.ts';
import { viewUsage } from './app/view-usage.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getEventDelivery,
  getWebhookEndpoint,
  listEventDeliveries,
  listWebhookEndpoints,
  resendEventDelivery,
  rotateWebhookSecret,
  testWebhookEndpoint,
} from './app/webhook-endpoints.ts';
import {
  cancelExport,
  pauseExport,
  putExportDestination,
  resumeExport,
  testWebhookRow,
} from './app/webhook-pushes.ts';
import { withdrawInvitation } from './app/withdraw-invitation.ts';
import { forAssistant } from './for-assistant.ts';
import {
  closeAccountCredits,
  exportAccountAssistants,
  exportAccountCredits,
  exportAccountExports,
  exportAccountOutcomes,
  exportAccountProfiles,
  forgetAccountAssistants,
  forgetAccountExports,
  forgetAccountOutcomes,
  forgetAccountProfiles,
} from './internal/account-share.ts';
import { addCrmCompanies, getCrmJob, startCrmJob, stopCrmJob, takeCrmRows } from './internal/crm-jobs.ts';
import { enrichProfile } from './internal/enrich-profile.ts';
import {
  listProfilesRows,
  listValidationRows,
  readProfilesRows,
  readValidationRows,
} from './internal/export-sources.ts';
import { getAssistantAccess, recordAssistantConnected } from './internal/gateway/assistant-access.ts';
import { checkPassword } from './internal/gateway/check-password.ts';
import { getAllowances, returnAllowance, takeAllowance } from './internal/ledger/allowances.ts';
import { grantCredits, listGrants, openBillingCycle, refundCredits } from './internal/ledger/grants.ts';
import { createHold, releaseHold, renewHold, settleHold } from './internal/ledger/holds.ts';
import { getBalance, getReceipt, listEntries, listReceipts } from './internal/ledger/reading.ts';
import { sumUsage } from './internal/ledger/usage.ts';
import { matchKnownPeople } from './internal/match-known-people.ts';
import { disconnectAssistant, disconnectUser, listAssistants } from './internal/mcp/assistants.ts';
import { findOutcomeSource, takeOutcomeEvents } from './internal/receive-outcomes.ts';
import { recordDoNotProbeRequest } from './internal/record-do-not-probe-request.ts';
import { recordOutcomes } from './internal/record-outcomes.ts';
import { recogniseProfileUrl, suppressProfile } from './internal/suppress-profile.ts';
import {
  takeAllEvents,
  takeCreditsEvents,
  takeProfilesEvents,
  takeValidationEvents,
} from './internal/take-events.ts';
import { validateAddress } from './internal/validate-address.ts';
import { getMe } from './public/get-me.ts';
import { profileEnrichment } from './public/profile-enrichment.ts';
import { receiveOutcomes } from './public/receive-outcomes.ts';
import { requestDoNotProbe } from './public/request-do-not-probe.ts';
import { uploadOutcomes } from './public/upload-outcomes.ts';
import { validateSingleEmail } from './public/validate-single-email.ts';
import { opensByKey, withKey } from './with-key.ts';

/**
 * Every operation, in the order of the reference. All code that mounts, forwards, documents or calls operations reads
 * this table; each contract states which service answers the operation, who can call it and what it costs.
 */
export const operations = {
  // The public REST interface, version 1, for programs with an API key.
  getMe,
  validateSingleEmail,
  profileEnrichment,
  requestDoNotProbe,
  uploadOutcomes,

  // For mail providers, at the URL of an outcome source.
  receiveOutcomes,

  // The application's interface, version 1, for signed-in users.
  requestSignUp,
  confirmSignUp,
  signIn,
  getSession,
  signOut,
  listSessions,
  endSession,
  signOutEverywhere,
  requestPasswordReset,
  confirmPasswordReset,
  changePassword,
  requestEmailChange,
  confirmEmailChange,
  listMembers,
  inviteMember,
  acceptInvitation,
  withdrawInvitation,
  changeMemberRole,
  removeMember,
  listSecurityEvents,
  listNotices,
  markNoticeRead,
  getNoticeSettings,
  putNoticeSettings,
  stopNoticeMail,
  viewProfile,
  renameAccount,
  viewBalance,
  viewStatement,
  downloadStatement,
  viewReceipts,
  viewReceipt,
  viewUsage,
  checkAddress,
  uploadOutcomesSignedIn,
  exportAccount,
  deleteAccount,
  getApiKey,
  regenerateApiKey,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  getPlan,
  changePlan,
  cancelPlanChange,
  buyCredits,
  openPaymentPortal,
  listConnectedAssistants,
  disconnectAssistantSignedIn,
  beginLookalikeSearch,
  listLookalikeSearches,
  getLookalikeSearch,
  changeLookalikeSearch,
  renameLookalikeSearch,
  deleteLookalikeSearch,
  listLookalikeCompanies,
  startLookalikeRun,
  getProfileProvider,
  putProfileProvider,
  deleteProfileProvider,
  testProfileProvider,
  requestOptOut,
  confirmOptOut,
  countPeople,
  getSearchVocabulary,
  beginPeopleSearch,
  listPeopleSearches,
  getPeopleSearch,
  changePeopleSearch,
  renamePeopleSearch,
  deletePeopleSearch,
  listPeopleOfSearch,
  startDiscoveryRun,
  countCompanies,
  beginCompanySearch,
  listCompanySearches,
  getCompanySearch,
  changeCompanySearch,
  renameCompanySearch,
  deleteCompanySearch,
  listCompaniesOfSearch,
  startCompanyRun,
  listDiscoveryRuns,
  getDiscoveryRun,
  cancelDiscoveryRun,
  followDiscoveryRun,
  listSavedCompanies,
  listSavedPeople,
  getSavedPerson,
  removeSavedPeople,
  createPeopleImport,
  listPeopleImports,
  getPeopleImport,
  followPeopleImport,
  previewPeopleImport,
  startPeopleImport,
  cancelPeopleImport,
  downloadRefusedPeople,
  deletePeopleImport,
  createSavedList,
  listSavedLists,
  getSavedList,
  changeSavedList,
  deleteSavedList,
  listListDomains,
  listListEntries,
  addListEntries,
  removeListEntries,
  createValidationJob,
  createValidationJobFromList,
  listValidationJobs,
  getValidationJob,
  changeValidationJob,
  deleteValidationJob,
  listValidationJobRows,
  summarizeValidationJob,
  compareValidationJobs,
  listChangedAddresses,
  downloadChangedAddresses,
  startValidationJob,
  pauseValidationJob,
  resumeValidationJob,
  finishValidationJob,
  cancelValidationJob,
  revalidateUnknownRows,
  followValidationJob,
  surveyExport,
  createExport,
  listExports,
  resendFailedRows,
  getExport,
  followExport,
  deleteExport,
  listExportRows,
  downloadExport,
  downloadExportLines,
  downloadFailedRows,
  testWebhookRow,
  pauseExport,
  resumeExport,
  cancelExport,
  putExportDestination,
  suggestCrmMapping,
  undoExport,
  beginCrmConnection,
  completeCrmConnection,
  listCrmConnections,
  disconnectCrm,
  listCrmProperties,
  createWriteBackProperties,
  listCrmSegments,
  createCrmImport,
  listCrmImports,
  getCrmImport,
  followCrmImport,
  cancelCrmImport,
  deleteCrmImport,
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  changeWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listEventDeliveries,
  getEventDelivery,
  resendEventDelivery,
  createOutcomeSource,
  listOutcomeSources,
  getOutcomeSource,
  changeOutcomeSource,
  replaceOutcomeSourceUrl,
  deleteOutcomeSource,
  getCreditThreshold,
  putCreditThreshold,

  // Internal operations between services.
  getBalance,
  listEntries,
  listReceipts,
  getReceipt,
  listGrants,
  grantCredits,
  openBillingCycle,
  refundCredits,
  createHold,
  renewHold,
  settleHold,
  releaseHold,
  takeAllowance,
  returnAllowance,
  getAllowances,
  sumUsage,
  exportAccountCredits,
  closeAccountCredits,
  validateAddress,
  recordDoNotProbeRequest,
  recordOutcomes,
  exportAccountOutcomes,
  forgetAccountOutcomes,
  listValidationRows,
  readValidationRows,
  addCrmCompanies,
  takeCrmRows,
  getCrmJob,
  startCrmJob,
  stopCrmJob,
  enrichProfile,
  exportAccountProfiles,
  forgetAccountProfiles,
  recogniseProfileUrl,
  suppressProfile,
  matchKnownPeople,
  listProfilesRows,
  readProfilesRows,
  checkPassword,
  getAssistantAccess,
  recordAssistantConnected,
  listAssistants,
  disconnectAssistant,
  disconnectUser,
  exportAccountAssistants,
  forgetAccountAssistants,
  exportAccountExports,
  forgetAccountExports,
  takeValidationEvents,
  takeProfilesEvents,
  takeAllEvents,
  takeCreditsEvents,
  findOutcomeSource,
  takeOutcomeEvents,
} as const satisfies Readonly<Record<string, Operation>>;

export type Operations = typeof operations;

const all: readonly Operation[] = Object.values(operations);

const rest = all.filter(({ path }) => path.startsWith('/api/v1/'));

/** The application's interface, version 1, for signed-in users. */
export const appOperations = all.filter(({ path }) => path.startsWith('/app/v1/'));

/** The public REST interface, version 1: its own operations, and the application's that an API key opens too. */
export const restOperations = [...rest, ...appOperations.filter(opensByKey).map(withKey)];

/** The application's operations that the gateway forwards to the service that answers them (ADR 0028). */
export const forwardedOperations = all.filter(
  ({ access, answeredBy }) => access.kind === 'session' && answeredBy !== 'gateway',
);

/** The operations that the tools of assistants use. The gateway offers no other one to the tool server (ADR 0079). */
export const toolOperations: readonly Operation[] = [
  getMe,
  validateSingleEmail,
  createValidationJob,
  startValidationJob,
  getValidationJob,
  listValidationJobRows,
  profileEnrichment,
  beginPeopleSearch,
  listPeopleOfSearch,
  beginCompanySearch,
  listCompaniesOfSearch,
  beginLookalikeSearch,
];

/** Whether a tool uses an operation. */
export function isForTools({ id }: Operation): boolean {
  return toolOperations.some(operation => operation.id === id);
}

/** The same operations in the form that the gateway offers to the tool server. */
export const assistantOperations = toolOperations.map(forAssistant);

/** The internal operations that a service offers to its peers, without forwarded ones and `assistantOperations`. */
export function peerOperations(service: ServiceName): readonly Operation[] {
  return all.filter(({ access, answeredBy }) => access.kind === 'service' && answeredBy === service);
}
