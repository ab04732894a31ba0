import { useQuery } from '@tanstack/react-query';
import { api, queryClient, type Schema } from '../../api/client.ts';
import { creditsHaveMoved } from '../../api/credits-have-moved.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { formatCredits, formatNumber } from '../../design/format.ts';
import { announce } from '../../design/toasts.tsx';

/** One question about an address, asked in this visit. */
export interface AddressCheck {
  /** The `Idempotency-Key` too: asked again with it, it is neither worked on nor charged twice. */
  readonly id: string;
  readonly email: string;
  readonly askedAtMs: number;
  readonly state: 'running' | 'answered' | 'failed' | 'cancelled';
  readonly answer?: Schema['AddressCheck'];
  /** Under which the receipt is found. */
  readonly runId?: string | undefined;
  readonly error?: unknown;
}

/** The API answers within 25 seconds; the rest is for the way there and back. */
export const waitMsMax = 32_000;
/** What was given up comes back a moment after the server has noticed. */
const balanceWaitsMs = [0, 2_000, 8_000];
const keptMax = 30;
/** In the cache of questions, which is emptied when somebody signs out. */
const checksKey = ['address-checks'];
const controllers = new Map<string, AbortController>();

/** The checks of this visit, newest first. They go on when one goes to another screen meanwhile. */
export function useAddressChecks(): readonly AddressCheck[] {
  return useQuery<readonly AddressCheck[]>({
    queryKey: checksKey,
    queryFn: () => currentChecks(),
    initialData: currentChecks,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Asks about an address; answers under which id it is found among the checks. */
export function askAbout(email: string): string {
  const check: AddressCheck = { id: newIdempotencyKey(), email, askedAtMs: Date.now(), state: 'running' };
  write([check, ...currentChecks()].slice(0, keptMax));
  void carryOut(check);
  return check.id;
}

/** Asks the same once more: where the first answer was lost, it is the answer to this. */
export function askAgain({ id, email }: AddressCheck): void {
  const check: AddressCheck = { id, email, askedAtMs: Date.now(), state: 'running' };
  replace(check);
  void carryOut(check);
}

/** Gives up waiting. What was not delivered is not charged. */
export function giveUp({ id }: AddressCheck): void {
  controllers.get(id)?.abort();
}

async function carryOut(check: AddressCheck): Promise<void> {
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
  void creditsHaveMoved();
}

/** Credits are held in the name of the first request; of one that is answered again, the page knows another. */
function runIdOf({ headers }: Response): string | undefined {
  return headers.get('idempotent-replayed') ? undefined : (headers.get('x-request-id') ?? undefined);
}

function tellCredits(charged: boolean, remaining: string | null): void {
  const left = remaining === null ? '' : ` ${formatNumber(Number(remaining))} left.`;
  announce(charged ? `${formatCredits(1)} spent.${left}` : `Nothing spent.${left}`);
}

function lateOr(error: unknown): unknown {
  return error instanceof DOMException && error.name === 'TimeoutError'
    ? new Error('There was no answer in time. Try again: the same question is not charged twice.')
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
