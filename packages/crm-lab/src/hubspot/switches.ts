import type { Request, Response } from 'express';
import { type HubSpotFault, sendFault } from './answers.ts';
import { type LimitName, limitFault } from './limits.ts';

/** Calls that a switch is for: all of the API's, or those whose path matches. */
export interface Which {
  readonly times?: number;
  readonly path?: RegExp;
}

type Effect =
  | {
      readonly kind: 'fault';
      readonly status: number;
      readonly fault: HubSpotFault;
      readonly headers: Headers;
    }
  | { readonly kind: 'raw'; readonly status: number; readonly body: string; readonly headers: Headers }
  | { readonly kind: 'drop' };

type Headers = Readonly<Record<string, string>>;

interface Planned {
  times: number;
  readonly path: RegExp;
  readonly effect: Effect;
}

/** What a test wishes to go wrong, and how often. */
export class Switches {
  readonly #before: Planned[] = [];
  readonly #after: Planned[] = [];
  readonly #afterCalls: { calls: number; readonly run: () => void }[] = [];
  #held: Promise<unknown> = Promise.resolve();

  /** The next calls are answered 429. HubSpot's searches answer with `SECONDLY`, everything else with the other two. */
  throttleNext(policyName: LimitName = 'TEN_SECONDLY_ROLLING', which: Which = {}): void {
    this.#plan(this.#before, which, {
      kind: 'fault',
      status: 429,
      fault: limitFault(policyName),
      headers: {},
    });
  }

  /** The next calls fail before anything is done. */
  failNext(
    status: number,
    which: Which & { readonly fault?: HubSpotFault; readonly headers?: Headers } = {},
  ): void {
    const { fault = { category: 'INTERNAL_ERROR', message: 'internal error' }, headers = {} } = which;
    this.#plan(this.#before, which, { kind: 'fault', status, fault, headers });
  }

  /** The next calls get these octets, whatever they are: a page of a proxy, a redirect. */
  answerNext(status: number, body: string, headers: Headers, which: Which = {}): void {
    this.#plan(this.#before, which, { kind: 'raw', status, body, headers });
  }

  /** The next calls are carried out, and their connections end before the answer. */
  dropNextAnswers(which: Which = {}): void {
    this.#plan(this.#after, which, { kind: 'drop' });
  }

  /** Answers are held back until the promise is settled; the work has been done by then. */
  holdAnswers(until: Promise<unknown>): void {
    this.#held = until.catch(() => undefined);
  }

  /** Does something once so many more calls have been answered, between two of them. */
  afterCalls(calls: number, run: () => void): void {
    this.#afterCalls.push({ calls, run });
  }

  /** Whether the call was answered by a switch. */
  intervene(request: Request, response: Response): boolean {
    const effect = take(this.#before, request.path);
    if (effect === undefined) {
      return false;
    }
    send(effect, request, response);
    return true;
  }

  /** Whether the answer, for which the work has been done, was taken away by a switch. */
  async takeAway(path: string, request: Request, response: Response): Promise<boolean> {
    await this.#held;
    for (const planned of this.#afterCalls.splice(0)) {
      planned.calls -= 1;
      if (planned.calls > 0) {
        this.#afterCalls.push(planned);
      } else {
        planned.run();
      }
    }
    const effect = take(this.#after, path);
    if (effect === undefined) {
      return false;
    }
    send(effect, request, response);
    return true;
  }

  #plan(plans: Planned[], { times = 1, path = /^/ }: Which, effect: Effect): void {
    plans.push({ times, path, effect });
  }
}

function take(plans: Planned[], path: string): Effect | undefined {
  const planned = plans.find(each => each.times > 0 && each.path.test(path));
  if (planned === undefined) {
    return undefined;
  }
  planned.times -= 1;
  if (planned.times === 0) {
    plans.splice(plans.indexOf(planned), 1);
  }
  return planned.effect;
}

function send(effect: Effect, request: Request, response: Response): void {
  switch (effect.kind) {
    case 'fault':
      sendFault(response.set(effect.headers), effect.status, effect.fault);
      break;
    case 'raw':
      response.status(effect.status).set(effect.headers).end(effect.body);
      break;
    case 'drop':
      request.socket.resetAndDestroy();
      break;
  }
}
