import { useQuery } from '@tanstack/react-query';
import { api, queryClient, type Schema } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import { formatCredits, formatNumber } from '../../design/format.ts';
import { announce } from '../../design/toasts.tsx';

/** One check of an address in this visit. */
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
/** The key in the query cache, which is cleared at sign-out. */
const checksKey = ['address-checks'];
const controllers = new Map<string, AbortController>();

/** The checks of this visit, newest first. They continue while another screen is open. */
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
  return queryClient.getQueryData<readonly AddressCheck[]>(checksKey) ?? [];
}

function replace(check: AddressCheck): void {
  write(currentChecks().map(each => (each.id === check.id ? check : each)));
}

function write(checks: readonly AddressCheck[]): void {
  queryClient.setQueryData(checksKey, checks);
}
