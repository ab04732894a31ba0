import { formOf } from '@mailproof/service-kit';
import { type AssistantId, assistantRefusals, limits, type OauthScope } from '@mailproof/shared-types';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type {
  AssistantStore,
  Gateway,
  LockOut,
  SignedInUser,
  SignInClient,
} from '../domain/oauth/assistant-store.ts';
import { giveConsent, signInForConsent } from '../domain/oauth/give-consent.ts';
import { formActionOf, redirectHostOf, redirectUriKind } from '../domain/oauth/redirect-uri.ts';
import { faultPage, formExpiredPage, signInOverPage } from './fault-page.ts';
import { sendPage } from './layout.ts';
import type { Proofs } from './proofs.ts';
import { consentPage, signInPage } from './sign-in-page.ts';

interface SignIn extends SignedInUser {
  readonly secretSha256: string;
  readonly deviceSha256?: string | undefined;
}

/** A client's request that is waiting for the user's decision. */
interface SignInRequest {
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly verifiedHost: string | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly OauthScope[];
  readonly signIn: SignIn | undefined;
}

/** Requests that are waiting for a decision, found by the browser's cookie. */
interface SignInRequests {
  find(request: Request, response: Response): Promise<SignInRequest | undefined>;
  noteSignIn(request: Request, response: Response, signIn: SignIn | undefined): Promise<void>;
  allow(
    request: Request,
    response: Response,
    allowed: { signIn: SignIn; assistantId: AssistantId },
  ): Promise<void>;
  deny(request: Request, response: Response, why: string): Promise<void>;
}

export interface SignInParts {
  /** The path of the pages; the request's id follows. */
  readonly path: string;
  readonly requests: SignInRequests;
  readonly proofs: Proofs;
  readonly gateway: Gateway;
  readonly assistants: Pick<AssistantStore, 'connect'>;
  readonly applicationUrl: string;
  readonly limit: RequestHandler;
  readonly now: () => Date;
  readonly onConnected: (assistantId: AssistantId) => void;
  readonly onFault: (error: unknown) => void;
}

const formBytesMax = 8_192;
const cancelled = 'The user denied access.';

/** Mounts the pages on which a user signs in and decides on a client's request. */
export function mountSignIn(app: Express, parts: SignInParts): void {
  const readForm: RequestHandler[] = [
    express.raw({ limit: formBytesMax, type: 'application/x-www-form-urlencoded' }),
    (request, _response, next) => {
      request.body = request.body instanceof Uint8Array ? formOf(request.body) : new URLSearchParams();
      next();
    },
  ];
  const at = (suffix: string) => `${parts.path}/:uid${suffix}`;

  app.get(
    at(''),
    parts.limit,
    inPages(parts, async (request, response) => {
      const found = await findRequest(parts, request, response);
      if (!found) {
        sendPage(response, 410, signInOverPage());
      } else if (found.secret !== undefined && found.pending.signIn) {
        showConsent(parts, response, found.pending, found.pending.signIn, found.secret);
      } else {
        showSignIn(parts, response, found.pending, {});
      }
    }),
  );
  app.post(at('/sign-in'), parts.limit, readForm, posted(parts, signIn));
  app.post(at('/decision'), parts.limit, readForm, posted(parts, decide));
  app.post(at('/other-account'), parts.limit, readForm, posted(parts, forgetSignIn));
  // The browser has this URL after a form failed, and requests it when the user enters it or restores the tab.
  app.get([at('/sign-in'), at('/decision'), at('/other-account')], parts.limit, (request, response) => {
    response.redirect(303, `${parts.path}/${encodeURIComponent(String(request.params['uid']))}`);
  });
}

interface Found {
  readonly pending: SignInRequest;
  /** The browser's proof that its user has signed in. */
  readonly secret: string | undefined;
}

type Step = (parts: SignInParts, found: Found, request: Request, response: Response) => Promise<void>;

/** Runs a step only for a form of the page that was shown to this browser. */
function posted(parts: SignInParts, step: Step): RequestHandler {
  return inPages(parts, async (request, response) => {
    const found = await findRequest(parts, request, response);
    if (!found) {
      sendPage(response, 410, signInOverPage());
    } else if (!parts.proofs.isCsrfToken(fieldOf(request, 'csrf'), found.pending.uid, found.secret)) {
      sendPage(response, 403, formExpiredPage());
    } else {
      await step(parts, found, request, response);
    }
  });
}

/** Shows errors to the user as a page, not as a problem document or a partial sign-in. */
function inPages(
  { onFault }: SignInParts,
  work: (request: Request, response: Response) => Promise<void>,
): RequestHandler {
  return async (request, response) => {
    try {
      await work(request, response);
    } catch (error) {
      onFault(error);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const page = faultPage({
        heading: 'Mailproof is temporarily unavailable',
        text: 'Part of Mailproof is unavailable. Nothing was connected. Go back and try again in a minute.',
      });
      sendPage(response.set('retry-after', '5'), 503, page);
    }
  };
}

async function findRequest(
  { requests, proofs }: SignInParts,
  request: Request,
  response: Response,
): Promise<Found | undefined> {
  const pending = await requests.find(request, response);
  // The cookie is trusted. The URL must match it, or the user would decide on a different request than the one shown.
  if (!pending || pending.uid !== request.params['uid']) {
    return undefined;
  }
  const { signIn: noted } = pending;
  return { pending, secret: noted && proofs.secretOf(request, pending.uid, noted.secretSha256) };
}

const wrongCredentials = 'The email address or the password is wrong.';

const signIn: Step = async (parts, { pending }, request, response) => {
  const credentials = { email: fieldOf(request, 'email').trim(), password: fieldOf(request, 'password') };
  const client = { ...clientOf(request), device: parts.proofs.deviceOf(request) };
  const outcome = await signInForConsent(parts.gateway, credentials, client);
  const again = (status: number, fault: string) =>
    showSignIn(parts, response.status(status), pending, { email: credentials.email, fault });
  switch (outcome.kind) {
    case 'wrong':
      return again(422, wrongCredentials);
    case 'locked':
      return again(429, lockedSentence(outcome));
    case 'refused':
      parts.proofs.giveDevice(response, outcome.device);
      return parts.requests.deny(request, response, assistantRefusals[outcome.reason]);
    case 'signed_in': {
      const secretSha256 = parts.proofs.giveSecret(response, pending.uid);
      const deviceSha256 = parts.proofs.giveDevice(response, outcome.device);
      await parts.requests.noteSignIn(request, response, { ...outcome.user, secretSha256, deviceSha256 });
      response.redirect(303, `${parts.path}/${pending.uid}`);
    }
  }
};

/** Suggests only remedies that work (ADR 0021). */
function lockedSentence({ retryInMs, count }: LockOut): string {
  const minutes = Math.max(1, Math.ceil(retryInMs / 60_000));
  const wait = `Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  return count === 'network'
    ? `Too many wrong passwords from your network. ${wait}, or use another network.`
    : `Too many wrong passwords for this address. ${wait}, use another browser in which you have signed in here before, or reset your password in the Mailproof application and sign in here with the new one.`;
}

const decide: Step = async (parts, { pending, secret }, request, response) => {
  if (fieldOf(request, 'decision') !== 'allow') {
    parts.proofs.takeSecret(response, pending.uid);
    return parts.requests.deny(request, response, cancelled);
  }
  const { signIn: signedIn } = pending;
  if (secret === undefined || !signedIn) {
    return showSignIn(parts, response, pending, {});
  }
  const client = clientOf(request);
  const consent = {
    user: { accountId: signedIn.accountId, userId: signedIn.userId },
    clientId: pending.clientId,
    clientName: pending.clientName,
    redirectHost: redirectHostOf(pending.redirectUri),
    scopes: pending.scopes,
    deviceSha256: signedIn.deviceSha256,
    userAgent: client.userAgent,
  };
  const given = { signInId: signedIn.signInId, client, now: parts.now() };
  const outcome = await giveConsent(parts, consent, given);
  if (outcome.kind === 'refused') {
    return parts.requests.deny(request, response, assistantRefusals[outcome.reason]);
  }
  parts.proofs.takeSecret(response, pending.uid);
  if (outcome.kind === 'sign_in_over') {
    await parts.requests.noteSignIn(request, response, undefined);
    return showSignIn(parts, response, pending, { fault: 'Your sign-in has expired. Sign in again.' });
  }
  parts.onConnected(outcome.assistantId);
  await parts.requests.allow(request, response, { signIn: signedIn, assistantId: outcome.assistantId });
};

const forgetSignIn: Step = async (parts, { pending }, request, response) => {
  parts.proofs.takeSecret(response, pending.uid);
  await parts.requests.noteSignIn(request, response, undefined);
  response.redirect(303, `${parts.path}/${pending.uid}`);
};

function showSignIn(
  { path, proofs, applicationUrl }: SignInParts,
  response: Response,
  { uid, clientName, redirectUri }: SignInRequest,
  shown: { email?: string; fault?: string },
): void {
  const page = signInPage({
    path: `${path}/${uid}`,
    csrfToken: proofs.csrfToken(uid, undefined),
    clientName,
    applicationUrl,
    formActions: [formActionOf(redirectUri)],
    ...shown,
  });
  sendPage(response, response.statusCode, page);
}

function showConsent(
  { path, proofs, applicationUrl }: SignInParts,
  response: Response,
  pending: SignInRequest,
  { accountName, email }: SignIn,
  secret: string,
): void {
  const { uid, redirectUri } = pending;
  const redirectKind = redirectUriKind(redirectUri);
  if (!redirectKind) {
    sendPage(
      response,
      400,
      faultPage({
        heading: 'Cannot continue',
        text: 'The assistant requested a response to an address that is not allowed.',
      }),
    );
    return;
  }
  const page = consentPage({
    ...pending,
    path: `${path}/${uid}`,
    csrfToken: proofs.csrfToken(uid, secret),
    redirectKind,
    accountName,
    email,
    applicationUrl,
    formActions: [formActionOf(redirectUri)],
  });
  sendPage(response, 200, page);
}

function fieldOf(request: Request, name: string): string {
  return (request.body as URLSearchParams).get(name) ?? '';
}

function clientOf(request: Request): SignInClient {
  const userAgent = (request.get('user-agent') ?? '').replace(/[^\x20-\x7e]/g, '?');
  return {
    clientAddress: (request.ip ?? '').slice(0, 45),
    userAgent: userAgent.slice(0, limits.userAgentCharactersMax),
  };
}
