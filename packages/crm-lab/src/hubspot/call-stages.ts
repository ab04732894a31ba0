import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { OAuthSimulator } from '../oauth.ts';
import { CallRefused, type HubSpotFault, sendFault } from './answers.ts';
import { type CallWindows, limitFault } from './limits.ts';
import type { Switches } from './switches.ts';

/** A call that was answered, or whose answer a switch replaced or dropped. */
export interface CallSeen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** Records every call with its status. */
export function noteCalls(calls: CallSeen[]): RequestHandler {
  return (request, response, next) => {
    calls.push({
      method: request.method,
      path: request.path,
      get status() {
        return response.statusCode;
      },
    });
    next();
  };
}

/** Passes every call through the switches, before its work and before its answer. */
export function withSwitches(switches: Switches): RequestHandler {
  return (request, response, next) => {
    if (switches.intervene(request, response)) {
      return;
    }
    // Mounted routers see only the rest of the path.
    const { path } = request;
    const end = response.end.bind(response) as (...args: unknown[]) => Response;
    response.end = ((...args: unknown[]) => {
      void switches.takeAway(path, request, response).then(isTaken => {
        if (!isTaken) {
          end(...args);
        }
      });
      return response;
    }) as Response['end'];
    next();
  };
}

export function withAccess(oauth: OAuthSimulator): RequestHandler {
  return (request, response, next) => {
    const [, token] = /^Bearer (.+)$/.exec(request.get('authorization') ?? '') ?? [];
    if (token === undefined) {
      sendFault(response, 401, {
        category: 'INVALID_AUTHENTICATION',
        message: 'Authentication credentials not found. This API supports OAuth 2.0 authentication.',
      });
      return;
    }
    const grant = oauth.grantOf(token);
    if (grant === undefined) {
      sendFault(response, 401, expired());
      return;
    }
    const needed = scopeOf(request.method, request.path);
    if (needed !== undefined && !grant.scope.split(' ').includes(needed)) {
      sendFault(response, 403, {
        category: 'MISSING_SCOPES',
        message: 'This app hasn’t been granted all required scopes to make this call.',
        errors: [
          {
            message: 'One or more of the following scopes are required.',
            context: { requiredGranularScopes: [needed] },
          },
        ],
      });
      return;
    }
    next();
  };
}

export function withLimits(windows: CallWindows): RequestHandler {
  return (request, response, next) => {
    const isSearch = /^\/crm\/v3\/objects\/[^/]+\/search$/.test(request.path);
    const beyond = windows.take(isSearch);
    response.set(windows.headers(isSearch));
    if (beyond !== undefined) {
      sendFault(response, 429, limitFault(beyond));
      return;
    }
    next();
  };
}

export const answerFaults: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof CallRefused) {
    sendFault(response, error.status, error.fault);
  } else if (error?.type === 'entity.parse.failed' || error?.type === 'entity.too.large') {
    sendFault(response, 400, { category: 'VALIDATION_ERROR', message: 'Invalid input JSON' });
  } else {
    sendFault(response, 500, { category: 'INTERNAL_ERROR', message: String(error) });
  }
};

function expired(): HubSpotFault {
  return {
    category: 'EXPIRED_AUTHENTICATION',
    message: 'The OAuth token used to make this call expired 5 minute(s) ago.',
    context: { 'expire time': [new Date(0).toISOString()] },
  };
}

/** The scope that a call needs; undefined if any scope is enough. */
function scopeOf(method: string, path: string): string | undefined {
  const [, area, name = ''] = /^\/crm\/v3\/(objects|properties|lists)\/([^/]+)/.exec(path) ?? [];
  const kind = /^(compan|0-2)/.test(name) ? 'companies' : 'contacts';
  switch (area) {
    case 'objects':
      return `crm.objects.${kind}.${method === 'GET' || /\/(read|search)$/.test(path) ? 'read' : 'write'}`;
    case 'properties':
      return `crm.schemas.${kind}.${method === 'GET' ? 'read' : 'write'}`;
    case 'lists':
      return 'crm.lists.read';
    default:
      return undefined;
  }
}
