import type { Guard, Handler, Handlers } from '@mailproof/service-kit';
import type { CreatorId, Operation, Operations, ServiceName } from '@mailproof/shared-types';
import type { Account } from '../../domain/accounts/account.ts';
import type { Visitor } from '../../domain/users/sign-in.ts';
import type { PageCursors } from '../page-cursors.ts';
import type { ProviderCaller } from './outcome-source-guard.ts';
import type { SignedInCaller } from './session-guard.ts';

/** The caller of a gateway operation, by its kind of access. */
export type GatewayCallers = {
  readonly apiKey: ProgramCaller;
  readonly session: SignedInCaller;
  readonly secretUrl: ProviderCaller;
  readonly public: Visitor;
  readonly service: ServiceName;
};

/** The account of a program with an API key. */
export interface ProgramCaller extends Account {
  /** True for a test key: the answer is the sandbox's. Only operations with `sandbox` have such callers. */
  readonly isTest?: true;
  /** True for a request of an assistant, which has no test key. */
  readonly isAssistant?: true;
}

/** The caller of an operation that an API key opens too: the account, and the user or the key that acts for it. */
export interface AccountCaller {
  readonly account: Account;
  readonly userId: CreatorId;
  readonly cursors: PageCursors;
}

/** Creates the guard of one operation. */
export type AccountGuard = (operation: Operation) => Guard<AccountCaller>;

/** The gateway's own operations that an API key opens too. */
export type KeyHandlers = {
  readonly [Name in keyof Operations as Operations[Name] extends {
    readonly answeredBy: 'gateway';
    readonly access: { readonly byKey: object };
  }
    ? Name
    : never]: Handler<Operations[Name], AccountCaller>;
};

export type GatewayHandlers = Handlers<'gateway', GatewayCallers>;
