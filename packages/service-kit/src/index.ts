export * from './config.ts';
export * from './health.ts';
export { readCursor, writeCursor } from './http/cursor.ts';
export { createFollow, type Follow } from './http/follow-changes.ts';
export { type CallOptions, createOperationClient, type OperationClient } from './http/operation-client.ts';
export { publicRequestId, readRequestKey } from './http/request-key.ts';
export { assertText, formOf, parseJson } from './http/request-text.ts';
export {
  type CountFailure,
  countRequest,
  createFailureCount,
  refusalHeaders,
  retryAfter,
  secondsUntil,
} from './http/request-window.ts';
export { type Guard, type Handler, type RequestContext, type Route, route } from './http/route.ts';
export { createPublicServiceApps, createServiceApp } from './http/service-app.ts';
export { createFairTurns, type FairTurns } from './jobs/fair-turns.ts';
export { type OutboxJob, type OutboxWorkOptions, outboxJob, startOutboxWork } from './jobs/outbox-work.ts';
export { createProducer, type Producer } from './jobs/producer.ts';
export { type Recurring, type RecurringOptions, startRecurring } from './jobs/recurring.ts';
export { startWorker } from './jobs/worker.ts';
export { createLogger, type Logger, scrub } from './log.ts';
export { createCounter, createDurations, createGauge } from './metrics.ts';
export { type AddressGuard, createAddressGuard, type GuardedAddress } from './net/address-guard.ts';
export { privateRanges, proxyList } from './net/address-settings.ts';
export { networkOf } from './net/client-network.ts';
export { AddressRefused, assertHostAllowed, guardedLookup } from './net/guarded-lookup.ts';
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
export { exitCodeOf, OperatorError } from './operator-command.ts';
export { Problem, unavailable } from './problem.ts';
export {
  createRareLine,
  createRareWarning,
  kindOf,
  type RareLine,
  type RareWarning,
  type RareWarningOptions,
} from './rare-warning.ts';
export { type RunningService, runService, type Service, startService } from './run-service.ts';
export { keyRing } from './sealing/key-ring-setting.ts';
export { resealColumn } from './sealing/reseal-column.ts';
export {
  createSealer,
  type KeyRing,
  type RingKey,
  type Sealer,
  SealFault,
} from './sealing/sealer.ts';
export { createServiceGuard, createTokenSigner, type TokenSigner } from './service-tokens.ts';
export {
  type AccountTable,
  accountTableFaults,
  createAccountReader,
  type ExportPage,
  type ReadAccountPage,
  type TablesWithoutAccount,
} from './stores/account-tables.ts';
export { isStoreAway } from './stores/away.ts';
export { answerMsFor, assertSchema, openPostgres, postgresCheck } from './stores/postgres.ts';
export {
  createRateLimiter,
  type RateWindows,
  rememberRefusals,
} from './stores/rate-limiter.ts';
export { openRedis, openWorkerRedis, redisCheck, untilConnected } from './stores/redis.ts';
export { inTransaction } from './stores/transaction.ts';
export { threadUrl } from './thread-url.ts';
export { describeSpan, inSpan, linkTrace, traceParent } from './tracing.ts';
export { wholeNumberArgument } from './whole-number-argument.ts';
