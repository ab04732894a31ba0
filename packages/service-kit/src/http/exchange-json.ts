import { createGathering } from '@mailproof/shared-types';
import type { Dispatcher } from 'undici';

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The header of that name: seconds, as our services send them. */
  readonly retryAfter?: string;
}

/**
 * Sends a request and reads the whole answer as JSON. By undici's `dispatch`, because `request` makes a stream of every
 * answer, and those of our services are small.
 *
 * @throws the signal's reason, whatever undici throws, and SyntaxError where the answer is no JSON
 */
export function exchangeJson(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    const answer = createGathering<Buffer>(Buffer.concat);
    let status = 0;
    let retryAfter: string | undefined;
    let breakOff: (() => void) | undefined;
    const settle = () => {
      if (breakOff) {
        signal.removeEventListener('abort', breakOff);
      }
    };
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        breakOff = () => controller.abort(signal.reason);
        if (signal.aborted) {
          breakOff();
        } else {
          signal.addEventListener('abort', breakOff, { once: true });
        }
      },
      onResponseStart(_controller, statusCode, headers) {
        status = statusCode;
        retryAfter = headers['retry-after']?.toString();
      },
      onResponseData(_controller, chunk) {
        answer.add(chunk);
      },
      onResponseEnd() {
        settle();
        try {
          const body: unknown = JSON.parse(answer.take().toString());
          resolve({ status, body, ...(retryAfter !== undefined && { retryAfter }) });
        } catch (error) {
          reject(error);
        }
      },
      onResponseError(_controller, error) {
        settle();
        reject(error);
      },
    });
  });
}
