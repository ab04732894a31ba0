import {
  type CountFailure,
  createFailureCount,
  createHealth,
  type Health,
  type HealthCheck,
  type OperationClient,
  type RateWindows,
} from '@mailproof/service-kit';
import type { RateLimiter } from '@mailproof/shared-types';
import type { Express, Response } from 'express';
import { createAccessTokenVerifier } from '../adapters/jose/verify-access-token.ts';
import { createRestApi } from '../adapters/peers/rest-api.ts';
import { createSpendingCount } from '../adapters/redis/spending-count.ts';
import type { Config } from '../config.ts';
import { type PublishedKeys, toolsPath } from '../domain/access-token.ts';
import type { FindAssistant, NoteAssistantUse } from '../domain/assistant.ts';
import { deriveKeys } from '../domain/oauth/lifetimes.ts';
import { allPrompts } from '../domain/prompts.ts';
import { callTool } from '../domain/tools/call-tool.ts';
import { readResults } from '../domain/tools/read-results.ts';
import type { Tool, ToolCaller } from '../domain/tools/tool.ts';
import { allTools } from '../domain/tools/tools.ts';
import { usageGuide } from '../domain/usage-guide.ts';
import { createHostJudge, createOriginJudge } from '../domain/web-origins.ts';
import type { Events } from '../events.ts';
import { mountAddressPage } from '../http/address-page.ts';
import { answerSecondsMax, createSpendingQuestions } from '../http/ask-before-spending.ts';
import { mountHealth } from '../http/health.ts';
import { createRequestCounter } from '../http/limit-by-network.ts';
import { type MountedMcp, mountMcp } from '../http/mcp.ts';
import { mountProtectedResourceMetadata } from '../http/protected-resource-metadata.ts';
import { createTokenGuard } from '../http/token-guard.ts';
import { addressPage } from '../pages/address-page.ts';
import { listedIcons, mountIcons } from '../pages/icons.ts';
import { sendPage } from '../pages/layout.ts';

/** The parts of the authorization server and the service that the tools need. */
export interface ToolsParts {
  readonly config: Config;
  readonly events: Events;
  readonly now: () => Date;
  readonly windows: RateWindows;
  /** Like `windows`, but asks Redis each time: for counts that can decrease. */
  readonly rateLimiter: RateLimiter;
  readonly countFailure: CountFailure;
  readonly gatewayPeer: OperationClient;
  /**
   * Not `gatewayPeer`: tool calls can use all of its connections for half a minute, and sign-ins must not wait for
   * them.
   */
  readonly toolPeer: OperationClient;
  readonly health: Health;
  readonly publishedKeys: PublishedKeys;
  readonly findAssistant: FindAssistant;
  readonly noteAssistantUse: NoteAssistantUse;
}

export interface Tools {
  mount(app: Express): void;
  close(): Promise<void>;
}

/** The version of the listed tools and prompts; clients only write it to their logs. */
const version = '1.0.0';

/** Builds the tools and the endpoint that serves them. */
export function composeTools(parts: ToolsParts): Tools {
  const { config, events, windows, countFailure } = parts;
  const publicBaseUrl = config.MCP_PUBLIC_BASE_URL;
  const address = `${publicBaseUrl}${toolsPath}`;
  const countRequest = createRequestCounter(windows, config.MCP_REQUESTS_PER_SECOND_MAX);
  const ports = {
    askRestApi: createRestApi(parts.toolPeer, config.TOOL_CALL_DEADLINE_MS),
    countRefused: ({ accountId }: ToolCaller) => countRequest(accountId),
    repeatSecret: currentKey(deriveKeys(config.OAUTH_ENCRYPTION_KEYS, 'repeats')),
  };
  const guard = createTokenGuard({
    verifyAccessToken: createAccessTokenVerifier({
      publishedKeys: parts.publishedKeys,
      issuer: publicBaseUrl,
      audience: address,
      now: parts.now,
    }),
    findAssistant: parts.findAssistant,
    countFailure,
    countTokenless: createFailureCount({
      rateLimiter: windows,
      subject: 'mcp-tokenless',
      perMinuteMax: config.OAUTH_REQUESTS_PER_MINUTE_MAX,
    }),
    events,
    publicBaseUrl,
  });
  const needed = createHealth({
    signing_key: signingKeyCheck(parts.publishedKeys),
    gateway: parts.gatewayPeer.checkReady,
  });
  let mcp: MountedMcp | undefined;
  return {
    mount(app) {
      const showAddress = (response: Response, status: number) =>
        sendPage(response, status, addressPage({ address, applicationUrl: config.PUBLIC_BASE_URL }));
      mountAddressPage(app, { address, show: showAddress, countFailure });
      mountIcons(app);
      mountHealth(app, [parts.health, needed]);
      mountProtectedResourceMetadata(app, { publicBaseUrl, applicationUrl: config.PUBLIC_BASE_URL });
      mcp = mountMcp(app, {
        tools: allTools,
        prompts: allPrompts,
        callDeadlineMs: config.TOOL_CALL_DEADLINE_MS,
        questions: createSpendingQuestions(deriveKeys(config.OAUTH_ENCRYPTION_KEYS, 'questions'), {
          ...createSpendingCount(parts.rateLimiter, answerSecondsMax * 1_000),
          countRefused: ports.countRefused,
          noteRefused: ({ tool, caller }, { status, cause }) =>
            events.toolCalled({ tool: tool.name, caller, status, elapsedMs: 0, cause }),
        }),
        usageGuide: usageGuide(),
        identity: {
          version,
          websiteUrl: config.PUBLIC_BASE_URL,
          icons: listedIcons(publicBaseUrl),
        },
        guard,
        countRequest,
        callTool: async (tool: Tool, args: unknown, caller: ToolCaller, signal: AbortSignal) => {
          const startedAt = performance.now();
          const { envelope, cause } = await callTool(ports, { tool, arguments: args, caller, signal });
          const elapsedMs = Math.round(performance.now() - startedAt);
          events.toolCalled({ tool: tool.name, caller, status: envelope.status, elapsedMs, cause });
          return envelope;
        },
        readResults: async (page, caller, signal) => {
          const outcome = await readResults(ports, page, caller, signal);
          if (outcome.kind === 'failed' && outcome.cause !== undefined) {
            events.resultsNotRead(caller, outcome.cause);
          }
          return outcome;
        },
        noteAssistantUse: parts.noteAssistantUse,
        events,
        publicBaseUrl,
        showAddress,
        isOwnHost: createHostJudge(publicBaseUrl),
        isAllowedOrigin: createOriginJudge(publicBaseUrl, config.MCP_ALLOWED_ORIGINS),
      });
    },
    async close() {
      await mcp?.close();
    },
  };
}

/** The first key of a ring, which makes new things. */
function currentKey([current]: readonly Buffer[]): Buffer {
  if (current === undefined) {
    throw new Error('The key ring is empty.');
  }
  return current;
}

function signingKeyCheck(publishedKeys: PublishedKeys): HealthCheck {
  return async () => {
    const { keys } = await publishedKeys();
    if (keys.length === 0) {
      throw new Error('there is no signing key');
    }
  };
}
