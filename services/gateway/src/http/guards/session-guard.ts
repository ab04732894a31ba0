import {
  type CountFailure,
  countRequest,
  type Guard,
  Problem,
  type RateWindows,
  retryAfter,
  type Sealer,
  unavailable,
} from '@mailproof/service-kit';
import {
  accountHeader,
  accountParameter,
  type Operation,
  sessionCookie,
  takesAccountParameter,
} from '@mailproof/shared-types';
import type { Request, Response } from 'express';
import type { Client, SignedIn } from '../../domain/accounts/signed-in.ts';
import { parseSessionToken, type SessionStore } from '../../domain/users/session.ts';
import { type PageCursors, pageCursorsOf } from '../page-cursors.ts';
import { clientOf } from './client.ts';
import { cookieOf } from './cookies.ts';
import { refuseCrossSite } from './cross-site.ts';

export interface SessionGuardOptions {
  readonly sessions: Pick<SessionStore, 'find'>;
  readonly rateLimiter: RateWindows;
  readonly countFailure: CountFailure;
  /** Seals where pages of lists end. */
  readonly cursorSealer: Sealer;
  readonly now: () => Date;
  /** Pages of this address may send requests that change something. */
  readonly publicBaseUrl: string;
  /** Requests that one session may make in any one second. */
  readonly requestsPerSecondMax: number;
}

/** Who has signed in, and where the request comes from. */
export type SignedInCaller = SignedIn & { readonly client: Client; readonly cursors: PageCursors };

export type SessionGuard = (operation: Operation) => Guard<SignedInCaller>;

const secondMs = 1_000;

/**
 * Lets in whoever sends the cookie of an open session from a page of ours, has the role that the operation asks for, and
 * stays within the session's rate. Requests without a session count against the address that they come from.
 */
export function createSessionGuard(options: SessionGuardOptions): SessionGuard {
  return operation => {
    if (operation.access.kind !== 'session') {
      throw new Error(`The operation ${operation.id} takes no session.`);
    }
    const { role } = operation.access;
    const list = operation.beginsList ?? operation.id;
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
          detail: `A session may make ${decision.limit} requests in any one second.`,
          headers: retryAfter(decision.resetInMs),
        });
      }
      refuseOtherAccount(operation, request, signedIn);
      if (role === 'owner' && signedIn.role !== 'owner') {
        throw new Problem('owner_required');
      }
      return {
        ...signedIn,
        client: clientOf(request),
        cursors: pageCursorsOf(options.cursorSealer, `${signedIn.account.accountId} ${list}`),
      };
    };
  };
}

/**
 * Refuses what a page requests for another account than its cookie opens: a tab that stayed open while another tab signed
 * in as another user would show one account's data at the other one's address (ADR 0057). A request that names no account
 * passes.
 */
function refuseOtherAccount(operation: Operation, request: Request, { account }: SignedIn): void {
  const named = [
    request.get(accountHeader),
    takesAccountParameter(operation) ? request.query[accountParameter] : undefined,
  ];
  if (named.some(each => each !== undefined && each !== account.accountId)) {
    throw new Problem('other_account');
  }
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
    // The cookie is not taken back: a late answer would take the one of a session that has begun meanwhile.
    headers: { 'www-authenticate': `Session realm="Mailproof", cookie="${sessionCookie}"` },
  });
}
