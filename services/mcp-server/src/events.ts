import { createCounter, createGauge, createRareLine, kindOf, type Logger } from '@mailproof/service-kit';
import type { AccountId, AssistantId, ToolName } from '@mailproof/shared-types';
import type { ToolCaller } from './domain/tools/tool.ts';

/** A tool call: which tool and how it ended, but none of its content. */
export interface CalledTool {
  readonly tool: ToolName;
  readonly caller: ToolCaller;
  readonly status: number;
  readonly elapsedMs: number;
  /** The value that was thrown, if any. */
  readonly cause?: unknown;
}

/** Why a request was refused. */
export type TokenRefusal = 'missing' | 'static_key' | 'refused' | 'expired' | 'disconnected';

/** The outcome of using a refresh token (ADR 0058). */
export type RefreshOutcome = 'replaced' | 'repeated' | 'replayed' | 'gone';

/** The events of this service, one function per event. */
export interface Events {
  toolCalled(call: CalledTool): void;
  resultsNotRead(caller: ToolCaller, cause: unknown): void;
  tokenRefused(reason: TokenRefusal): void;
  rateLimited(accountId: AccountId): void;
  /** The protocol refused a message, or failed to handle it. */
  messageRefused(error: Error): void;
  useNotNoted(error: unknown): void;
  assistantsDisconnected(accountId: AccountId, disconnected: number): void;
  accountForgotten(accountId: AccountId, deleted: number): void;
  assistantConnected(assistantId: AssistantId): void;
  assistantRevoked(assistantId: string): void;
  refreshTokenUsed(outcome: RefreshOutcome): void;
  authorizationRefused(code: string): void;
  /** How many clients were never connected, and how many of them were just deleted, by reason. */
  unusedClientsCounted(unused: number, forgotten: Readonly<Record<'expired' | 'ceiling', number>>): void;
  authorizationServerFailed(error: Error): void;
  signInFailed(error: unknown): void;
  sweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  const countCall = createCounter('mailproof.tools.calls', 'Calls of tools, by tool and status.');
  const countRefusal = createCounter('mailproof.tools.refused_tokens', 'Requests without a valid token.');
  const countConnected = createCounter('mailproof.oauth.connected', 'Assistants that were connected.');
  const countRefresh = createCounter('mailproof.oauth.refreshes', 'Uses of refresh tokens, by outcome.');
  const countOauthRefusal = createCounter('mailproof.oauth.refusals', 'OAuth error responses, by code.');
  const showUnusedClients = createGauge(
    'mailproof.oauth.unused_clients',
    'Registered clients that were never connected.',
  );
  const countForgotten = createCounter(
    'mailproof.oauth.forgotten_clients',
    'Unused clients deleted because of their age or number.',
    [{ reason: 'expired' }, { reason: 'ceiling' }],
  );
  const logCeiling = createRareLine(facts =>
    logger.warn(facts, 'maximum of unused clients reached, oldest deleted'),
  );
  const logRateLimited = createRareLine(facts => logger.info(facts, 'requests refused by the rate limit'));
  const logMessageRefused = createRareLine(facts => logger.info(facts, 'message refused'), {
    everyMs: 1_000,
  });
  const logAuthorizationRefused = createRareLine(facts => logger.info(facts, 'authorization refused'), {
    everyMs: 1_000,
  });
  // Clients can cause these faults as often as their network may send requests, so not every fault is logged.
  const logServerFailed = createRareLine(facts => logger.error(facts, 'authorization server failed'), {
    everyMs: 1_000,
  });
  const logSignInFailed = createRareLine(facts => logger.error(facts, 'sign-in failed'), {
    everyMs: 1_000,
  });
  return {
    toolCalled({ tool, caller: { accountId, assistantId }, status, elapsedMs, cause }) {
      countCall({ tool, status });
      const line = { tool, accountId, assistantId, status, elapsedMs };
      if (cause === undefined) {
        logger.info(line, 'tool called');
      } else {
        logger.error({ ...line, err: cause }, 'tool failed');
      }
    },
    resultsNotRead({ accountId, assistantId }, cause) {
      logger.error({ accountId, assistantId, err: cause }, 'results of a list could not be read');
    },
    tokenRefused(reason) {
      countRefusal({ reason });
    },
    rateLimited(accountId) {
      logRateLimited(accountId, { accountId });
    },
    messageRefused(error) {
      logMessageRefused(error.name, { err: error });
    },
    useNotNoted(error) {
      logger.warn({ err: error }, 'last use of an assistant could not be recorded');
    },
    assistantsDisconnected(accountId, disconnected) {
      logger.info({ accountId, disconnected }, 'assistants disconnected');
    },
    accountForgotten(accountId, deleted) {
      logger.info({ accountId, deleted }, 'account forgotten');
    },
    assistantConnected(assistantId) {
      countConnected();
      logger.info({ assistantId }, 'assistant connected');
    },
    assistantRevoked(assistantId) {
      logger.info({ assistantId }, 'assistant disconnected: token revoked or used twice');
    },
    refreshTokenUsed(outcome) {
      countRefresh({ outcome });
    },
    authorizationRefused(code) {
      countOauthRefusal({ code });
      logAuthorizationRefused(code, { code });
    },
    unusedClientsCounted(unused, forgotten) {
      showUnusedClients(unused);
      countForgotten({ reason: 'expired' }, forgotten.expired);
      countForgotten({ reason: 'ceiling' }, forgotten.ceiling);
      if (forgotten.ceiling > 0) {
        logCeiling('', { unused, forgotten: forgotten.ceiling });
      }
    },
    authorizationServerFailed(error) {
      logServerFailed(kindOf(error), { err: error });
    },
    signInFailed(error) {
      logSignInFailed(kindOf(error), { err: error });
    },
    sweepFailed(error) {
      logger.warn({ err: error }, 'sweep failed');
    },
    databaseConnectionLost(error) {
      logger.warn({ err: error }, 'database connection lost');
    },
    redisConnectionLost(error) {
      logger.warn({ err: error }, 'redis connection failed');
    },
  };
}
