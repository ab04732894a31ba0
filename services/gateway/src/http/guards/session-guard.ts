import {
  type CountFailure,
  countRequest,
  type Guard,
  Problem,
  type RateWindows,
  type RequestContext,
  retryAfter,
  type Sealer,
  unavailable,
} from '@mailproof/service-kit';
import { type Operation, sessionCookie } from '@mailproof/shared-types';
import type { Request, Response } from 'express';
import type { Client, SignedIn } from '../../domain/accounts/signed-in.ts';
import type { SignedInRequest } from '../../domain/users/account-access.ts';
import { parseSessionToken, type SessionStore } from '../../domain/users/session.ts';
import { listCursorsOf, type PageCursors } from '../page-cursors.ts';
import { clientOf, cookieOf, refuseCrossSite } from './browser.ts';
import { namedAccount } from './named-account.ts';

export interface SessionGuardOptions {
  readonly sessions: Pick<SessionStore, 'find'>;
  readonly rateLimiter: RateWindows;
  readonly countFailure: CountFailure;
  /** Seals the positions at which pages of lists end. */
  readonly cursorSealer: Sealer;
  readonly now: () => Date;
  /** Only pages from this address may send state-changing requests. */
  readonly publicBaseUrl: string;
  /** The most requests that one session may make in any second. */
  readonly requestsPerSecondMax: number;
}

/** The signed-in user, and the client that sent the request. */
export type SignedInCaller = SignedIn & { readonly client: Client; readonly cursors: PageCursors };

/** Converts a signed-in user's request for the domain. */
export function signedInRequest({ caller, requestId }: RequestContext<SignedInCaller>): SignedInRequest {
  const { client, ...signedIn } = caller;
  return { signedIn, client, requestId };
}

export type SessionGuard = (operation: Operation) => Guard<SignedInCaller>;

const secondMs = 1_000;

/**
 * Admits requests from our pages that carry the cookie of an open session, in the role that the operation requires and
 * within the session's rate. Requests without a session count against their client address.
 */
export function createSessionGuard(options: SessionGuardOptions): SessionGuard {
  return operation => {
    if (operation.access.kind !== 'session') {
      throw new Error(`The operation ${operation.id} takes no session.`);
    }
    const { role } = operation.access;
    return async (request, response) => {
      refuseCrossSite(request, options.publicBaseUrl);
      const signedIn = await findSignedIn(options, request);
      if (!signedIn) {
        return refuse(options, request, response);
      }
      response.locals['accountId'] = signedIn.account.accountId;
      const decision = await countRequest(options.rateLimiter, response, {
        subject: `session:${signedIn.sessionId}`,
        limit: options.requestsPerSecondMax,
        windowMs: secondMs,
      });
      if (!decision.admitted) {
        throw new Problem('rate_limited', {
          detail: `A session can make ${decision.limit} requests per second.`,
          headers: retryAfter(decision.resetInMs),
        });
      }
      const account = namedAccount(operation, request, signedIn.account);
      if (role === 'owner' && signedIn.role !== 'owner') {
        throw new Problem('owner_required');
      }
      return {
        ...signedIn,
        account,
        client: clientOf(request),
        cursors: listCursorsOf(options.cursorSealer, account, operation),
      };
    };
  };
}

async function findSignedIn(
  { sessions, now }: SessionGuardOptions,
  request: Request,
): Promise<SignedIn | undefined> {
  const token = parseSessionToken(cookieOf(request, sessionCookie));
  try {
    return token && (await sessions.find(token, now()));
  } catch (error) {
    throw unavailable('Sessions cannot be checked right now.', error);
  }
}

async function refuse(options: SessionGuardOptions, request: Request, response: Response): Promise<never> {
  await options.countFailure(request, response);
  throw new Problem('not_signed_in', {
    // The cookie is not cleared: a late answer would clear the cookie of a newer session.
    headers: { 'www-authenticate': `Session realm="Mailproof", cookie="${sessionCookie}"` },
  });
}
