import { unavailable } from '@mailproof/service-kit';
import type { RateLimiter } from '@mailproof/shared-types';

/** Answers 503 while Redis is unavailable: without its windows, no request can be admitted safely. */
export function failClosed(rateLimiter: RateLimiter): RateLimiter {
  const refuse = (error: unknown): never => {
    throw unavailable('The rate limit cannot be checked right now.', error);
  };
  return {
    admit: (...request) => rateLimiter.admit(...request).catch(refuse),
    uncount: (...request) => rateLimiter.uncount(...request).catch(refuse),
    forget: subject => rateLimiter.forget(subject).catch(refuse),
  };
}
