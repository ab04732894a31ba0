import type { Operation } from '../operation.ts';
import { acceptInvitation } from './app/accept-invitation.ts';
import { deleteAccount, exportAccount } from './app/account-life.ts';
import { disconnectAssistantSignedIn, listConnectedAssistants } from './app/assistants.ts';
import { cancelPlanChange } from './app/cancel-plan-change.ts';
import { changeMemberRole } from './app/change-member-role.ts';
import { changePassword } from './app/change-password.ts';
import { changePlan } from './app/change-plan.ts';
import { checkAddress } from './app/check-address.ts';
import { confirmEmailChange } from './app/confirm-email-change.ts';
import { confirmPasswordReset } from './app/confirm-password-reset.ts';
import { confirmSignUp } from './app/confirm-sign-up.ts';
import { countPeople } from './app/count-people.ts';
import {
  beginCrmConnection,
  completeCrmConnection,
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
  downloadFailedRows,
  followExport,
  getExport,
  listExportRows,
  listExports,
  surveyExport,
} from './app/exports.ts';
import { getApiKey } from './app/get-api-key.ts';
import { getPlan } from './app/get-plan.ts';
import { getSearchVocabulary } from './app/get-search-vocabulary.ts';
import { getSession } from './app/get-session.ts';
import { inviteMember } from './app/invite-member.ts';
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
import { confirmOptOut, requestOptOut } from './app/opt-outs.ts';
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
  followValidationJob,
  pauseValidationJob,
  resumeValidationJob,
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
import { getCrmJob, startCrmJob, stopCrmJob, takeCrmRows } from './internal/crm-jobs.ts';
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
import { disconnectAssistant, disconnectUser, listAssistants } from './internal/mcp/assistants.ts';
import { recordDoNotProbeRequest } from './internal/record-do-not-probe-request.ts';
import { recordOutcomes } from './internal/record-outcomes.ts';
import { recogniseProfileUrl, suppressProfile } from './internal/suppress-profile.ts';
import { validateAddress } from './internal/validate-address.ts';
import { getMe } from './public/get-me.ts';
import { profileEnrichment } from './public/profile-enrichment.ts';
import { requestDoNotProbe } from './public/request-do-not-probe.ts';
import { uploadOutcomes } from './public/upload-outcomes.ts';
import { validateSingleEmail } from './public/validate-single-email.ts';

/** The public REST interface, version 1, for whoever has an API key. */
export const restOperations = [
  getMe,
  validateSingleEmail,
  profileEnrichment,
  requestDoNotProbe,
  uploadOutcomes,
] as const satisfies readonly Operation[];

/** The application's interface, version 1, for people who have signed in. */
export const appOperations = [
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
  getPlan,
  changePlan,
  cancelPlanChange,
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
  listDiscoveryRuns,
  getDiscoveryRun,
  cancelDiscoveryRun,
  followDiscoveryRun,
  listSavedPeople,
  getSavedPerson,
  removeSavedPeople,
  createSavedList,
  listSavedLists,
  changeSavedList,
  deleteSavedList,
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
  startValidationJob,
  pauseValidationJob,
  resumeValidationJob,
  cancelValidationJob,
  followValidationJob,
  surveyExport,
  createExport,
  listExports,
  getExport,
  followExport,
  deleteExport,
  listExportRows,
  downloadExport,
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
  listCrmSegments,
  createCrmImport,
  listCrmImports,
  getCrmImport,
  followCrmImport,
  cancelCrmImport,
  deleteCrmImport,
] as const satisfies readonly Operation[];

/** What the credit ledger answers to its peers. */
export const ledgerOperations = [
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
] as const satisfies readonly Operation[];

/** What the validation engine answers to its peers. */
export const engineOperations = [
  validateAddress,
  recordDoNotProbeRequest,
  recordOutcomes,
  exportAccountOutcomes,
  forgetAccountOutcomes,
  listValidationRows,
  readValidationRows,
  takeCrmRows,
  getCrmJob,
  startCrmJob,
  stopCrmJob,
] as const satisfies readonly Operation[];

/** What the enrichment service answers to its peers, besides the application operations that are forwarded to it. */
export const enrichmentOperations = [
  enrichProfile,
  exportAccountProfiles,
  forgetAccountProfiles,
  recogniseProfileUrl,
  suppressProfile,
  listProfilesRows,
  readProfilesRows,
] as const satisfies readonly Operation[];

/** The operations of the REST interface that take an API key, as the gateway answers them to the tool server. */
export const assistantOperations: readonly Operation[] = restOperations
  .filter(({ access }) => access.kind === 'apiKey')
  .map(operation => forAssistant(operation));

/** What the gateway answers to its peers, besides `assistantOperations`. */
export const gatewayOperations = [
  checkPassword,
  getAssistantAccess,
  recordAssistantConnected,
] as const satisfies readonly Operation[];

/** What the tool server answers to its peers. */
export const mcpOperations = [
  listAssistants,
  disconnectAssistant,
  disconnectUser,
  exportAccountAssistants,
  forgetAccountAssistants,
] as const satisfies readonly Operation[];

/** What the webhook dispatcher answers to its peers, besides the application operations that are forwarded to it. */
export const dispatcherOperations = [
  exportAccountExports,
  forgetAccountExports,
] as const satisfies readonly Operation[];
