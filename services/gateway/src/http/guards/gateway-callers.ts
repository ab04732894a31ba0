import type { Handlers } from '@mailproof/service-kit';
import type { ServiceName } from '@mailproof/shared-types';
import type { Account } from '../../domain/accounts/account.ts';
import type { Visitor } from '../../domain/users/sign-in.ts';
import type { SignedInCaller } from './session-guard.ts';

/** The caller of a gateway operation, by its kind of access. */
export type GatewayCallers = {
  readonly apiKey: Account;
  readonly session: SignedInCaller;
  readonly public: Visitor;
  readonly service: ServiceName;
};

export type GatewayHandlers = Handlers<'gateway', GatewayCallers>;
