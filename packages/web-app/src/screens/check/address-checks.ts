import { useQuery } from '@tanstack/react-query';
import { keptInBrowser } from '../../api/browser-session.ts';
import { api, queryClient, type Schema } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import { formatCredits, formatNumber } from '../../design/format.ts';
import { announce } from '../../design/toasts.tsx';

/** One check of an address in this tab. */
export interface AddressCheck {
  /** Also the `Idempotency-Key`: a repeated request neither repeats the work nor charges twice. */
  readonly id: string;
  readonly email: string;
  readonly askedAtMs: number;
  readonly state: 'running' | 'answered' | 'failed' | 'cancelled';
  readonly answer?: Schema['AddressCheck'];
  /** The id of the receipt. */
  readonly runId?: string | undefined;
  readonly error?: unknown;
}

/** The API answers within 25 seconds; the rest allows for network time. */
export const waitMsMax = 32_000;
/** The delays before refetching the balance: credits of a canceled check return shortly after the server notices. */
const balanceWaitsMs = [0, 2_000, 8_000];
const keptMax = 30;
/** As long as the server remembers an `Idempotency-Key`, in milliseconds. */
const keptMs = 86_400_000;
/** The key in the query cache, which is cleared at sign-out. */
const checksKey = ['address-checks'];
const controllers = new Map<string, AbortController>();

/**
 * The checks of this tab, newest first. They continue while another screen is open, and survive a reload; they are
 * deleted after a day, and with the session.
 */
export function useAddressChecks(): readonly AddressCheck[] {
  return useQuery<readonly AddressCheck[]>({
    queryKey: checksKey,
    queryFn: () => currentChecks(),
    initialData: currentChecks,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Starts a check of an address and returns the id of the check. */
export function askAbout(email: string): string {
  const check: AddressCheck = { id: newIdempotencyKey(), email, askedAtMs: Date.now(), state: 'running' };
  write([check, ...currentChecks()].slice(0, keptMax));
  void runCheck(check);
  return check.id;
}

/** Sends the same request again. If the first response was lost, this returns it. */
export function askAgain({ id, email }: AddressCheck): void {
  const check: AddressCheck = { id, email, askedAtMs: Date.now(), state: 'running' };
  replace(check);
  void runCheck(check);
}

/** Forgets all checks, and cancels those that run. */
export function clearChecks(): void {
  for (const controller of controllers.values()) controller.abort();
  write([]);
}

/** Cancels a check. A result that was not delivered is not charged. */
export function giveUp({ id }: AddressCheck): void {
  controllers.get(id)?.abort();
}

async function runCheck(check: AddressCheck): Promise<void> {
  const controller = new AbortController();
  controllers.set(check.id, controller);
  try {
    const { data, response } = await api.POST('/address-checks', {
      params: { header: { 'Idempotency-Key': check.id } },
      body: { email: check.email },
      signal: AbortSignal.any([controller.signal, AbortSignal.timeout(waitMsMax)]),
    });
    if (data) {
      replace({ ...check, state: 'answered', answer: data, runId: runIdOf(response) });
      tellCredits(data.credits_consumed, response.headers.get('x-credits-remaining'));
    }
  } catch (error) {
    replace(
      controller.signal.aborted
        ? { ...check, state: 'cancelled' }
        : { ...check, state: 'failed', error: lateOr(error) },
    );
  } finally {
    controllers.delete(check.id);
    for (const waitMs of balanceWaitsMs) setTimeout(refreshBalance, waitMs);
  }
}

function refreshBalance(): void {
  void refreshCredits();
}

/**
 * Credits are held under the id of the first request. A replayed response has a different request id, so the run id is
 * unknown.
 */
function runIdOf({ headers }: Response): string | undefined {
  return headers.get('idempotent-replayed') ? undefined : (headers.get('x-request-id') ?? undefined);
}

function tellCredits(charged: boolean, remaining: string | null): void {
  const left = remaining === null ? '' : ` ${formatNumber(Number(remaining))} left.`;
  announce(charged ? `${formatCredits(1)} spent.${left}` : `Nothing spent.${left}`);
}

function lateOr(error: unknown): unknown {
  return error instanceof DOMException && error.name === 'TimeoutError'
    ? new Error('The request timed out. Try again: you are not charged twice.')
    : error;
}

function currentChecks(): readonly AddressCheck[] {
  return queryClient.getQueryData<readonly AddressCheck[]>(checksKey) ?? keptChecks();
}

/** Does nothing if the check was cleared meanwhile, or its session has ended. */
function replace(check: AddressCheck): void {
  const checks = currentChecks();
  if (checks.some(({ id }) => id === check.id)) {
    write(checks.map(each => (each.id === check.id ? check : each)));
  }
}

function write(checks: readonly AddressCheck[]): void {
  queryClient.setQueryData(checksKey, checks);
  // A reload makes a running check fail before the page ends.
  const kept = checks.filter(({ state }) => state !== 'cancelled');
  try {
    sessionStorage.setItem(keptInBrowser.recentChecks, JSON.stringify(kept));
  } catch {
    // The browser stores nothing, or has no room. The checks then last as long as the page.
  }
}

/** The checks that the page before a reload has written. */
function keptChecks(): readonly AddressCheck[] {
  const oldestMs = Date.now() - keptMs;
  try {
    const kept = JSON.parse(sessionStorage.getItem(keptInBrowser.recentChecks) ?? '[]') as AddressCheck[];
    return kept.filter(({ askedAtMs }) => askedAtMs > oldestMs).map(interrupted);
  } catch {
    return [];
  }
}

/** A check without an answer. The server may have answered, so the same request is sent again. */
function interrupted({ error: _, ...check }: AddressCheck): AddressCheck {
  const error = new Error(
    'The page was reloaded before the answer came. Try again: you are not charged twice.',
  );
  return check.answer ? check : { ...check, state: 'failed', error };
}
