import type { RequestHandler } from 'express';
import type { InputRecord, RefuseRecord, SaveError } from './save-records.ts';

/** A call of the data API, as received. */
export interface ApiCall {
  readonly method: string;
  /** The path after the version, such as `/query`. */
  readonly path: string;
  readonly soql: string | undefined;
  /** The octets of the URL with its query. */
  readonly addressBytes: number;
}

/** An error that replaces the regular answer. */
export interface CallFault {
  readonly times: number;
  readonly status: number;
  readonly errorCode?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly when?: (call: ApiCall) => boolean;
}

/** A record that is refused regardless of its values. */
export interface RecordFault {
  readonly times: number;
  readonly error: SaveError;
  readonly when?: (object: string, values: InputRecord) => boolean;
}

/** Injects faults on demand, and records all calls. */
export class Faults {
  readonly calls: ApiCall[] = [];
  /** Called for every call before anything is done. */
  beforeCall: (call: ApiCall) => void = () => undefined;
  #failing: CallFault | undefined;
  #losing: Pick<CallFault, 'times' | 'when'> | undefined;
  #refusing: RecordFault[] = [];
  #held: Promise<unknown> = Promise.resolve();

  /** Fails the next calls before they do anything. */
  failCalls(fault: CallFault): void {
    this.#failing = fault;
  }

  /** Carries out the next calls but closes the connection before answering. */
  loseAnswers(fault: Pick<CallFault, 'times' | 'when'>): void {
    this.#losing = fault;
  }

  /** Holds every call until the promise settles. */
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

  /** Runs after the token check, because a wrong token takes precedence over every other fault. */
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
