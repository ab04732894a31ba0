import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { DocumentUnreachable } from '../../domain/oauth/metadata-document.ts';
import { redirectUriKind } from '../../domain/oauth/redirect-uri.ts';
import { authorizationServerPaths } from './configuration.ts';

/** An error that a browser was about to carry to a website, unasked. */
export interface HeldError {
  /** Where it would have gone, error and all. */
  readonly location: string;
  readonly host: string;
  readonly code: string;
}

/** Says otherwise what the library says of a request that failed. */
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
      // `invalid_client` makes clients forget what they hold, and somebody would have to connect them again.
      ctx.status = 503;
      ctx.set('retry-after', '30');
      ctx.body = {
        error: 'temporarily_unavailable',
        error_description: 'The client’s metadata document cannot be fetched at the moment. Try again.',
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
 * Anybody can register a client, so that a link to us that leads to their website by itself would lend them our name
 * (RFC 9700 section 4.11.2). Programs and apps on the user's own machine are told at once.
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
