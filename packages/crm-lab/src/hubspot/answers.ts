import { randomUUID } from 'node:crypto';
import type { Response } from 'express';

/** HubSpot's description of an error; calls and records of a batch have the same shape. */
export interface HubSpotFault {
  readonly category: string;
  readonly message: string;
  readonly subCategory?: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
  readonly errors?: readonly {
    readonly message: string;
    readonly code?: string;
    readonly in?: string;
    readonly context?: Readonly<Record<string, readonly string[]>>;
  }[];
}

/** The call is answered with an error. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly status: number;
  readonly fault: HubSpotFault;

  constructor(status: number, fault: HubSpotFault) {
    super(`${status} ${fault.category}`);
    this.status = status;
    this.fault = fault;
  }
}

/** The usual answer to an invalid call. */
export function invalid(message: string, context?: HubSpotFault['context']): CallRefused {
  return new CallRefused(400, { category: 'VALIDATION_ERROR', message, ...(context && { context }) });
}

export function notFound(message: string): CallRefused {
  return new CallRefused(404, { category: 'OBJECT_NOT_FOUND', message });
}

export function sendFault(response: Response, status: number, fault: HubSpotFault): void {
  const correlationId = randomUUID();
  response
    .status(status)
    .set('X-HubSpot-Correlation-Id', correlationId)
    .json({ status: 'error', correlationId, ...fault });
}
