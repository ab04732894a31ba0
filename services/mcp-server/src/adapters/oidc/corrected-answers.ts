import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { DocumentUnreachable } from '../../domain/oauth/metadata-document.ts';
import { redirectUriKind } from '../../domain/oauth/redirect-uri.ts';
import { authorizationServerPaths } from './configuration.ts';

/** An error response that would have redirected the browser to a website without asking the user. */
export interface HeldError {
  /** The redirect URL, including the error. */
  readonly location: string;
  readonly host: string;
  readonly code: string;
}

/** Corrects the library's responses to failed requests. */
export function correctAnswers(
  provider: Provider,
  showHeldError: (ctx: KoaContextWithOIDC, held: HeldError) => void,
): void {
  const unreachable = new WeakSet<object>();
  const note = (ctx: KoaContextWithOIDC, error: Error) => {
    if (isOfUnreachableDocument(error)) {
      unreachable.add(ctx);
    }
  };
  provider.on('grant.error', note);
  provider.on('pushed_authorization_request.error', note);
  provider.use(async (context, next) => {
    await next();
    const ctx = context as KoaContextWithOIDC;
    if (unreachable.has(ctx)) {
      // `invalid_client` makes clients discard their credentials, and the user would have to reconnect.
      ctx.status = 503;
      ctx.set('retry-after', '30');
      ctx.body = {
        error: 'temporarily_unavailable',
        error_description: 'The client’s metadata document cannot be fetched right now. Try again.',
      };
    }
    const held = ctx.path === authorizationServerPaths.authorization ? heldErrorOf(ctx) : undefined;
    if (held) {
      ctx.remove('location');
      showHeldError(ctx, held);
    }
  });
}

/**
 * Anyone can register a client, so a link to us that redirects to their website automatically would lend them our name
 * (RFC 9700 section 4.11.2). Programs and apps on the user's own machine get the error immediately.
 */
function heldErrorOf(ctx: KoaContextWithOIDC): HeldError | undefined {
  const location = ctx.response.get('location');
  if (ctx.status < 300 || ctx.status >= 400 || !URL.canParse(location)) {
    return undefined;
  }
  const { origin, host, pathname, searchParams, hash } = new URL(location);
  if (redirectUriKind(`${origin}${pathname}`) !== 'https') {
    return undefined;
  }
  const told = searchParams.has('error') ? searchParams : new URLSearchParams(hash.slice(1));
  const code = [told.get('error'), told.get('error_description')].filter(Boolean).join(': ');
  return { location, host, code };
}

function isOfUnreachableDocument(error: unknown): boolean {
  return (
    error instanceof Error && (error instanceof DocumentUnreachable || isOfUnreachableDocument(error.cause))
  );
}
