export * from './config.ts';
export * from './health.ts';
export { readCursor, writeCursor } from './http/cursor.ts';
export { createFollow, type Follow } from './http/follow-changes.ts';
export { type Guards, type Handlers, mountHandlers } from './http/handlers.ts';
export {
  createOperationClient,
  type OperationClient,
  type Peers,
} from './http/operation-client.ts';
export { publicRequestId, readRequestKey } from './http/request-key.ts';
export { assertText, formOf, parseJson } from './http/request-text.ts';
export {
  type CountFailure,
  countRequest,
  createFailureCount,
  createRateLimiter,
  type RateWindows,
  refusalHeaders,
  rememberRefusals,
  retryAfter,
  secondsUntil,
} from './http/request-window.ts';
export {
  forwardingRoute,
  type Guard,
  type Handler,
  type RequestContext,
  type Route,
  route,
} from './http/route.ts';
export { createPublicServiceApps, createServiceApp } from './http/service-app.ts';
export { createFairTurns, type FairTurns } from './jobs/fair-turns.ts';
export { type Recurring, type RecurringOptions, startRecurring } from './jobs/recurring.ts';
export { createLogger, type Logger, scrub } from './log.ts';
export {
  type AddressGuard,
  AddressRefused,
  assertHostAllowed,
  createAddressGuard,
  type GuardedAddress,
  guardedLookup,
} from './net/address-guard.ts';
export { networkOf } from './net/client-network.ts';
export {
  createOutside,
  type Outside,
  type OutsideAnswer,
  OutsideFault,
  type OutsideFaultKind,
  type OutsideOptions,
  type OutsideRequest,
} from './net/outside.ts';
export { BodyTooLarge, readBounded } from './net/read-bounded.ts';
export { Problem, simulatedProblem, unavailable } from './problem.ts';
export {
  createRareLine,
  createRareWarning,
  kindOf,
  type RareLine,
  type RareWarning,
  type RareWarningOptions,
} from './rare-warning.ts';
export { type RunningService, runService, type Service, startService } from './run-service.ts';
export { resealColumn } from './sealing/reseal-column.ts';
export {
  createSealer,
  type KeyRing,
  openIfPossible,
  type RingKey,
  type Sealer,
  SealFault,
} from './sealing/sealer.ts';
export { createServiceGuard, createTokenSigner, type TokenSigner } from './service-tokens.ts';
export { caFile, keyRing, privateRanges, proxyList } from './setting-forms.ts';
export {
  createCounter,
  createDurations,
  createGauge,
  describeSpan,
  inSpan,
  linkTrace,
  observeGauges,
  traceParent,
} from './signals.ts';
export {
  type AccountTable,
  accountExportHandler,
  accountTableFaults,
  createAccountReader,
  createForgetAccount,
  type ForgetAccount,
  type ForgottenPortion,
  type TablesWithoutAccount,
} from './stores/account-tables.ts';
export { answerMsFor, databaseOpener, openPostgres, postgresCheck, schemaCheck } from './stores/postgres.ts';
export {
  type EventSource,
  recordEvent,
  recordedEventTable,
  takeEvents,
  takeEventsHandler,
} from './stores/recorded-events.ts';
export {
  onlyRow,
  parseSql,
  type RowOf,
  type SqlResult,
  type SqlStatement,
} from './stores/sql-file.ts';
export { isStoreUnavailable, isUnavailable } from './stores/store-unavailable.ts';
export { inTransaction, tellWritten } from './stores/transaction.ts';
export { withoutStoreSpans } from './telemetry/quiet.ts';
export { threadUrl } from './thread-url.ts';
