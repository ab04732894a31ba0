import { type ToolFailureStatus, toolFailures } from '@mailproof/shared-types';

/** A failed call. Its message is for the assistant; what led to it goes into `cause`, which is logged and never sent. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** One request too many in a rate window of the tool server. */
export function tooManyFailure(waitSeconds: number): ToolFailure {
  return new ToolFailure(
    429,
    `Too many requests in one second. Wait ${waitSeconds} ${waitSeconds === 1 ? 'second' : 'seconds'}, then call again.`,
  );
}

/** A failure of our own, of which the outside learns no more than what to do. */
export function ownFailure(status: Extract<ToolFailureStatus, 500 | 502 | 503 | 504>, cause?: unknown) {
  return new ToolFailure(status, toolFailures[status], { cause });
}
