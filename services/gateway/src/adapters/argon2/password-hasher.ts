import { unavailable } from '@mailproof/service-kit';
import { hash, verify } from '@node-rs/argon2';
import type { PasswordHasher } from '../../domain/users/user.ts';

/** The second set of the OWASP Password Storage Cheat Sheet; the library's default algorithm is Argon2id. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export interface PasswordHasherOptions {
  /** The most concurrent hashes; each takes 19 MiB and a thread for about 30 ms. */
  readonly concurrencyMax: number;
  /** The most hashes that wait in line; further ones are refused. */
  readonly waitingMax: number;
}

/**
 * Argon2id on Node's thread pool, with limited concurrency, so a flood of sign-ins exhausts neither memory nor threads.
 */
export function createPasswordHasher({ concurrencyMax, waitingMax }: PasswordHasherOptions): PasswordHasher {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= concurrencyMax) {
      if (waiting.length >= waitingMax) {
        throw unavailable('Too many sign-ins in progress right now.', undefined, 2);
      }
      // A finished hash hands its slot to the next in line, so no later caller can take it.
      await new Promise<void>(resolve => {
        waiting.push(resolve);
      });
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) {
        next();
      } else {
        running -= 1;
      }
    }
  }

  return {
    hash: password => inTurn(() => hash(password, parameters)),
    verify: (passwordHash, password) => inTurn(() => verify(passwordHash, password)),
  };
}
