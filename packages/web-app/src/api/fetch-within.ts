/** `fetch` that gives up with a `TimeoutError` when the whole answer has not come after so long. */
export function fetchWithin(answerMsMax: number): (request: Request) => Promise<Response> {
  return request =>
    fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(answerMsMax)]) });
}
