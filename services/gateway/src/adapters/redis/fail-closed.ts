import { unavailable } from '@mailproof/service-kit';
import type { RateLimiter } from '@mailproof/shared-types';

/** Without its windows nothing can be admitted safely, so whoever asks is answered 503 while Redis is away. */
export function failClosed(rateLimiter: RateLimiter): RateLimiter {
  const refuse = (error: unknown): never => {
    throw unavailable('Attempts cannot be counted right now.', error);
  };
  return {
    admit: (...request) => rateLimiter.admit(...request).catch(refuse),
    takeBack: (...request) => rateLimiter.takeBack(...request).catch(refuse),
    forget: subject => rateLimiter.forget(subject).catch(refuse),
  };
}
