import { createGathering } from '@mailproof/shared-types';
import { type Dispatcher, errors } from 'undici';

/** A body or an answer that is passed on unparsed: as a whole, or while it arrives. */
export type Octets = Buffer | AsyncIterable<Uint8Array>;

/** An answer as received. */
export interface OctetAnswer<Content extends Octets = Octets> {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly content: Content;
}

/**
 * Sends a request and reads the whole answer. It uses undici's `dispatch`, because `request` creates a stream for every
 * answer, and our services' answers are small. The signal also ends the wait for a free connection.
 *
 * @param bytesMax maximum size of the answer, in octets; no limit if omitted
 * @throws the signal's reason, or any error from undici, such as `ResponseExceededMaxSizeError` for a larger answer
 */
export function exchangeOctets(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<OctetAnswer<Buffer>> {
  return new Promise((resolve, reject) => {
    const answer = createGathering<Buffer>(Buffer.concat);
    let bytes = 0;
    let status = 0;
    let headers: OctetAnswer['headers'] = {};
    let started: Dispatcher.DispatchController | undefined;
    const abortExchange = () => {
      if (started) {
        started.abort(signal.reason);
      } else {
        // The request still waits for a free connection. When undici dequeues it, it is aborted together with its body.
        reject(signal.reason);
      }
    };
    const settle = () => signal.removeEventListener('abort', abortExchange);
    if (signal.aborted) {
      abortExchange();
    } else {
      signal.addEventListener('abort', abortExchange, { once: true });
    }
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        started = controller;
        if (signal.aborted) {
          abortExchange();
        }
      },
      onResponseStart(_controller, statusCode, answerHeaders) {
        status = statusCode;
        headers = answerHeaders;
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (bytes > bytesMax) {
          controller.abort(new errors.ResponseExceededMaxSizeError());
        } else {
          answer.add(chunk);
        }
      },
      onResponseEnd() {
        settle();
        resolve({ status, headers, content: answer.take() });
      },
      onResponseError(_controller, error) {
        settle();
        reject(error);
      },
    });
  });
}
