import { createGathering } from '@mailproof/shared-types';
import { type Dispatcher, errors } from 'undici';

/** An answer as received. */
export interface TextAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The header of that name: seconds, as our services send them. */
  readonly retryAfter?: string;
}

/**
 * Sends a request and reads the whole answer as JSON.
 *
 * @throws what `exchangeText` throws, and SyntaxError where the answer is no JSON
 */
export async function exchangeJson(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const { status, headers, text } = await exchangeText(dispatcher, request, signal);
  const retryAfter = headers['retry-after']?.toString();
  return { status, body: JSON.parse(text) as unknown, ...(retryAfter !== undefined && { retryAfter }) };
}

/**
 * Sends a request and reads the whole answer. By undici's `dispatch`, because `request` makes a stream of every answer,
 * and those of our services are small. The signal also ends the wait for a free connection.
 *
 * @param bytesMax largest answer, in octets; no limit if omitted
 * @throws the signal's reason, and whatever undici throws; `ResponseExceededMaxSizeError` for a larger answer
 */
export function exchangeText(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<TextAnswer> {
  return new Promise((resolve, reject) => {
    const answer = createGathering<Buffer>(Buffer.concat);
    let bytes = 0;
    let status = 0;
    let headers: TextAnswer['headers'] = {};
    let started: Dispatcher.DispatchController | undefined;
    const breakOff = () => {
      if (started) {
        started.abort(signal.reason);
      } else {
        // It waits for a free connection. When undici takes it from its queue, it is broken off there with its body.
        reject(signal.reason);
      }
    };
    const settle = () => signal.removeEventListener('abort', breakOff);
    if (signal.aborted) {
      breakOff();
    } else {
      signal.addEventListener('abort', breakOff, { once: true });
    }
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        started = controller;
        if (signal.aborted) {
          breakOff();
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
        resolve({ status, headers, text: answer.take().toString() });
      },
      onResponseError(_controller, error) {
        settle();
        reject(error);
      },
    });
  });
}
