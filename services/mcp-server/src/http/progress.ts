import type { ServerContext } from '@modelcontextprotocol/server';

/** Time until the first notification, and between two of them, in milliseconds. */
const firstAfterMs = 1_500;
const everyMs = 3_000;

/**
 * Sends progress notifications during slow work, if the client sent a progress token (MCP specification, "Progress").
 * Progress is in seconds. It stays below the total until the work ends, because a client may take reaching the total as
 * the end.
 */
export async function withProgress<Result>(
  { mcpReq }: ServerContext,
  { message, totalMs }: { readonly message: string; readonly totalMs: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) {
    return work();
  }
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const notify = () => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= totalMs || mcpReq.signal.aborted) {
      return;
    }
    const params = {
      progressToken,
      progress: Math.round(elapsedMs / 100) / 10,
      total: totalMs / 1_000,
      message,
    };
    // The client has disconnected; the signal ends the call itself.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    timer = setTimeout(notify, everyMs);
  };
  timer = setTimeout(notify, firstAfterMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
