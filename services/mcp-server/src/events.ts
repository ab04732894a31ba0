import type { Logger } from '@mailproof/service-kit';
import type { AccountId, AssistantId } from '@mailproof/shared-types';

/** What happens in this service, one function an event. */
export interface Events {
  assistantsDisconnected(accountId: AccountId, disconnected: number): void;
  accountForgotten(accountId: AccountId, deleted: number): void;
  assistantConnected(assistantId: AssistantId): void;
  authorizationServerFailed(error: Error): void;
  signInFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  return {
    assistantsDisconnected(accountId, disconnected) {
      logger.info({ accountId, disconnected }, 'assistants disconnected');
    },
    accountForgotten(accountId, deleted) {
      logger.info({ accountId, deleted }, 'account forgotten');
    },
    assistantConnected(assistantId) {
      logger.info({ assistantId }, 'assistant connected');
    },
    authorizationServerFailed(error) {
      logger.error({ err: error }, 'authorization server failed');
    },
    signInFailed(error) {
      logger.error({ err: error }, 'sign-in failed');
    },
    databaseConnectionLost(error) {
      logger.warn({ err: error }, 'database connection lost');
    },
    redisConnectionLost(error) {
      logger.warn({ err: error }, 'redis connection failed');
    },
  };
}
