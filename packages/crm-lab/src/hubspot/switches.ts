import type { Request, Response } from 'express';
import { type HubSpotFault, sendFault } from './answers.ts';
import { type LimitName, limitFault } from './limits.ts';

/** The calls to which a switch applies: all API calls, or those whose path matches. */
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

/** Faults that a test injects, and how often. */
export class Switches {
  readonly #before: Planned[] = [];
  readonly #after: Planned[] = [];
  readonly #afterCalls: { calls: number; readonly run: () => void }[] = [];
  #held: Promise<unknown> = Promise.resolve();

  /** Answers the next calls with 429. HubSpot uses `SECONDLY` for searches and the other two for all other calls. */
  throttleNext(policyName: LimitName = 'TEN_SECONDLY_ROLLING', which: Which = {}): void {
    this.#plan(this.#before, which, {
      kind: 'fault',
      status: 429,
      fault: limitFault(policyName),
      headers: {},
    });
  }

  /** Fails the next calls before anything is done. */
  failNext(
    status: number,
    which: Which & { readonly fault?: HubSpotFault; readonly headers?: Headers } = {},
  ): void {
    const { fault = { category: 'INTERNAL_ERROR', message: 'internal error' }, headers = {} } = which;
    this.#plan(this.#before, which, { kind: 'fault', status, fault, headers });
  }

  /** Answers the next calls with exactly this response, such as an error page of a proxy or a redirect. */
  answerNext(status: number, body: string, headers: Headers, which: Which = {}): void {
    this.#plan(this.#before, which, { kind: 'raw', status, body, headers });
  }

  /** Carries out the next calls, but closes their connections before the answer. */
  dropNextAnswers(which: Which = {}): void {
    this.#plan(this.#after, which, { kind: 'drop' });
  }

  /** Holds back answers until the promise settles; the work is already done by then. */
  holdAnswers(until: Promise<unknown>): void {
    this.#held = until.catch(() => undefined);
  }

  /** Runs `run` once, after this many more calls, before the last of them is answered. */
  afterCalls(calls: number, run: () => void): void {
    this.#afterCalls.push({ calls, run });
  }

  /** Answers the call if a switch applies; returns whether one did. */
  intervene(request: Request, response: Response): boolean {
    const effect = take(this.#before, request.path);
    if (effect === undefined) {
      return false;
    }
    send(effect, request, response);
    return true;
  }

  /** Replaces or drops the answer of a completed call if a switch applies; returns whether one did. */
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
