import {
  createAddressGuard,
  type OperationClient,
  type RateWindows,
  type Recurring,
} from '@mailproof/service-kit';
import type { Express } from 'express';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createAuthorizationServer } from '../adapters/oidc/authorization-server.ts';
import { authorizationServerPaths } from '../adapters/oidc/configuration.ts';
import { createModelAdapters } from '../adapters/oidc/model-adapters.ts';
import { createSignInRequests } from '../adapters/oidc/sign-in-requests.ts';
import { createGatewayClient } from '../adapters/peers/gateway.ts';
import { createAssistantStore } from '../adapters/postgres/assistant-store.ts';
import { createClientStore } from '../adapters/postgres/client-store.ts';
import { createRefreshTokenStore } from '../adapters/postgres/refresh-token-store.ts';
import { createSigningKeyStore } from '../adapters/postgres/signing-key-store.ts';
import { createSealedRecords } from '../adapters/redis/sealed-records.ts';
import { createMetadataDocuments } from '../adapters/undici/fetch-metadata-document.ts';
import type { Config } from '../config.ts';
import { toolsPath } from '../domain/access-token.ts';
import { deriveKeys, lifetimes } from '../domain/oauth/lifetimes.ts';
import { createSigningKeyList } from '../domain/oauth/signing-key.ts';
import type { Events } from '../events.ts';
import { mountAuthorizationServer } from '../http/authorization-server.ts';
import { limitByNetwork, refuseInJson } from '../http/limit-by-network.ts';
import { faultPage, waitPage } from '../pages/fault-page.ts';
import { htmlOf, pageHeaders, sendPage } from '../pages/layout.ts';
import { mountSignIn } from '../pages/mount-sign-in.ts';
import { createProofs } from '../pages/proofs.ts';
import { startOauthSweep } from '../workers/sweep-oauth.ts';
import { createSealers } from './operator.ts';

/** What the authorization server is built from. */
export interface AuthorizationServerSources {
  readonly config: Config;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly gatewayPeer: OperationClient;
  readonly windows: RateWindows;
  readonly events: Events;
  readonly now: () => Date;
  /** A test's certificate authority, whose sites may publish metadata documents. */
  readonly extraCa?: string | undefined;
}

/** Deadline for fetching a client's metadata document, in milliseconds: a user is waiting for the page. */
const metadataDocumentDeadlineMs = 5_000;

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Builds the authorization server: its stores, endpoints, pages and background work. */
export function composeAuthorizationServer(sources: AuthorizationServerSources) {
  const { config, pool, redis, events, now } = sources;
  const sealers = createSealers(config.OAUTH_ENCRYPTION_KEYS);
  const signingKeys = createSigningKeyStore(pool, sealers.signingKey);
  const keyList = createSigningKeyList(signingKeys, now);
  const clients = createClientStore(pool, sealers.client, {
    unusedMax: config.OAUTH_UNUSED_CLIENTS_MAX,
    onUnusedCounted: events.unusedClientsCounted,
  });
  const refreshTokens = createRefreshTokenStore(
    pool,
    sealers.refreshToken,
    config.OAUTH_REFRESH_OVERLAP_SECONDS,
  );
  const assistants = createAssistantStore(pool, now);
  const gateway = createGatewayClient(sources.gatewayPeer);
  const documents = createMetadataDocuments({
    guard: createAddressGuard(config.OUTBOUND_ALLOWED_PRIVATE_RANGES),
    deadlineMs: metadataDocumentDeadlineMs,
    extraCa: sources.extraCa,
  });
  const issuer = config.MCP_PUBLIC_BASE_URL;
  const resource = `${issuer}${toolsPath}`;
  // Clients also name the server by its address alone. It is unambiguous, because nothing else is protected there.
  const resources = [resource, `${resource}/`, issuer, `${issuer}/`];
  const isSecure = issuer.startsWith('https:');
  const server = createAuthorizationServer({
    issuer,
    signingKeys,
    listKeys: keyList.list,
    now,
    assistants,
    gateway,
    resource,
    resources,
    isSecure,
    cookieKeys: deriveKeys(config.OAUTH_ENCRYPTION_KEYS, 'cookies').map(key => key.toString('base64url')),
    adapter: createModelAdapters({
      clients,
      assistants,
      refreshTokens,
      records: model => createSealedRecords(redis, sealers.record, model),
      resources,
      now,
      onRefreshed: events.refreshTokenUsed,
      onReplayed: events.assistantRevoked,
    }),
    fetch: documents.fetch,
    renderError: (ctx, out) => {
      ctx.set(pageHeaders([]));
      ctx.type = 'html';
      ctx.body = htmlOf(
        faultPage({
          heading: 'The assistant could not be connected',
          text:
            out.error === 'invalid_client'
              ? 'Mailproof does not know this assistant. Unused registrations are deleted within a day, or sooner if very many assistants register. Remove Mailproof from your assistant and add it again.'
              : 'The request is not valid. Start again from your assistant. If the problem persists, contact the assistant’s developer.',
          code: [out.error, out.error_description].filter(Boolean).join(': '),
        }),
      );
    },
    showHeldError: (ctx, { location, host, code }) => {
      ctx.set(pageHeaders([]));
      ctx.status = 400;
      ctx.type = 'html';
      ctx.body = htmlOf(
        faultPage({
          heading: 'The assistant could not be connected',
          text: 'The request is not valid. If you came from the site below, go back there and report the problem to its developer.',
          code,
          link: { address: location, text: `Go to ${host}` },
        }),
      );
    },
    onServerError: events.authorizationServerFailed,
    onRefused: events.authorizationRefused,
    onRevoked: events.assistantRevoked,
  });
  const limiter = sources.windows;
  const limit = (subject: string, requestsMax: number, windowMs: number) =>
    limitByNetwork({ limiter, subject: `oauth-${subject}`, requestsMax, windowMs, refuse: refuseInJson });
  const limitPages = (subject: string) =>
    limitByNetwork({
      limiter,
      subject: `oauth-${subject}`,
      requestsMax: config.OAUTH_REQUESTS_PER_MINUTE_MAX,
      windowMs: minuteMs,
      refuse: (response, status, seconds) => sendPage(response, status, waitPage(status, seconds)),
    });
  let sweeping: Recurring | undefined;
  return {
    publishedKeys: keyList.published,
    findAssistant: assistants.find,
    noteAssistantUse: assistants.noteUse,
    mount(app: Express): void {
      mountSignIn(app, {
        path: authorizationServerPaths.signIn,
        requests: createSignInRequests(server.provider),
        proofs: createProofs(
          deriveKeys(config.OAUTH_ENCRYPTION_KEYS, 'forms'),
          isSecure,
          lifetimes.signInSeconds,
        ),
        gateway,
        assistants,
        applicationUrl: config.PUBLIC_BASE_URL,
        limit: limitPages('pages'),
        now,
        onConnected: events.assistantConnected,
        onFault: events.signInFailed,
      });
      mountAuthorizationServer(app, {
        paths: authorizationServerPaths,
        handle: server.handle,
        publishedKeys: keyList.published,
        limits: {
          authorization: limitPages('authorization'),
          token: limit('token', config.OAUTH_REQUESTS_PER_MINUTE_MAX, minuteMs),
          registration: limit('registration', config.OAUTH_REGISTRATIONS_PER_HOUR_MAX, hourMs),
        },
      });
    },
    async start(): Promise<void> {
      await signingKeys.makeFirst(now());
      keyList.readAgain();
      // If the ring does not open the key, the service fails here and not at the first assistant's request.
      await server.provider();
      sweeping = startOauthSweep({
        assistants,
        clients,
        refreshTokens,
        signingKeys,
        now,
        onFailed: events.sweepFailed,
      });
    },
    async stop(): Promise<void> {
      await sweeping?.close();
      await documents.close();
    },
  };
}
