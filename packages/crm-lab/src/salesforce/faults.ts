import type { RequestHandler } from 'express';
import type { InputRecord, RefuseRecord, SaveError } from './save-records.ts';

/** A call of the data interface, as it came in. */
export interface ApiCall {
  readonly method: string;
  /** Behind the version, such as `/query`. */
  readonly path: string;
  readonly soql: string | undefined;
  /** Octets of the address with its query. */
  readonly addressBytes: number;
}

/** An answer instead of the right one. */
export interface CallFault {
  readonly times: number;
  readonly status: number;
  readonly errorCode?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly when?: (call: ApiCall) => boolean;
}

/** A record that is refused whatever it says. */
export interface RecordFault {
  readonly times: number;
  readonly error: SaveError;
  readonly when?: (object: string, values: InputRecord) => boolean;
}

/** What goes wrong on demand, and everything that was asked. */
export class Faults {
  readonly calls: ApiCall[] = [];
  /** Told of every call before anything is done. */
  beforeCall: (call: ApiCall) => void = () => undefined;
  #failing: CallFault | undefined;
  #losing: Pick<CallFault, 'times' | 'when'> | undefined;
  #refusing: RecordFault[] = [];
  #held: Promise<unknown> = Promise.resolve();

  /** Fails the next calls before they do anything. */
  failCalls(fault: CallFault): void {
    this.#failing = fault;
  }

  /** Does what the next calls ask for and hangs up instead of answering. */
  loseAnswers(fault: Pick<CallFault, 'times' | 'when'>): void {
    this.#losing = fault;
  }

  /** Lets every call wait until the promise is settled. */
  hold(until: Promise<unknown>): void {
    this.#held = until;
  }

  refuseRecords(fault: RecordFault): void {
    this.#refusing.push(fault);
  }

  readonly refuse: RefuseRecord = (object, values) => {
    const fault = this.#refusing.find(({ times, when }) => times > 0 && (when?.(object, values) ?? true));
    if (fault === undefined) {
      return undefined;
    }
    this.#refusing = this.#refusing.map(each => (each === fault ? { ...each, times: each.times - 1 } : each));
    return fault.error;
  };

  readonly watch: RequestHandler = (request, response, next) => {
    const call: ApiCall = {
      method: request.method,
      path: request.path,
      soql: typeof request.query.q === 'string' ? request.query.q : undefined,
      addressBytes: request.originalUrl.length,
    };
    this.calls.push(call);
    this.beforeCall(call);
    if (isDue(this.#losing, call)) {
      this.#losing = { ...this.#losing, times: this.#losing.times - 1 };
      response.json = () => {
        request.socket.destroy();
        return response;
      };
    }
    this.#held.then(
      () => next(),
      () => next(),
    );
  };

  /** Comes behind the check of tokens, as everything but a wrong token does. */
  readonly fail: RequestHandler = (request, response, next) => {
    const fault = this.#failing;
    const call = this.calls.at(-1);
    if (call === undefined || !isDue(fault, call)) {
      next();
      return;
    }
    this.#failing = { ...fault, times: fault.times - 1 };
    response.status(fault.status).set(fault.headers ?? {});
    if (fault.errorCode === undefined) {
      response.type('html').send(`<html><body>${fault.message ?? request.method}</body></html>`);
    } else {
      response.json([{ message: fault.message ?? fault.errorCode, errorCode: fault.errorCode }]);
    }
  };
}

function isDue<Fault extends Pick<CallFault, 'times' | 'when'>>(
  fault: Fault | undefined,
  call: ApiCall,
): fault is Fault {
  return fault !== undefined && fault.times > 0 && (fault.when?.(call) ?? true);
}
