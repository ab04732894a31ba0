import { unavailable } from '@mailproof/service-kit';
import { hash, verify } from '@node-rs/argon2';
import type { PasswordHasher } from '../../domain/users/user.ts';

/** The second set of the OWASP Password Storage Cheat Sheet; the library's default algorithm is Argon2id. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export interface PasswordHasherOptions {
  /** Hashes made at once; each takes 19 MiB and a thread for some 30 ms. */
  readonly atOnceMax: number;
  /** Hashes that wait for their turn; whoever comes after is refused. */
  readonly waitingMax: number;
}

/** Argon2id on Node's own threads, so many at once that a flood of sign-ins takes neither memory nor all threads. */
export function createPasswordHasher({ atOnceMax, waitingMax }: PasswordHasherOptions): PasswordHasher {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= atOnceMax) {
      if (waiting.length >= waitingMax) {
        throw unavailable('Too many people are signing in right now.', undefined, 2);
      }
      // Whoever has finished hands the place on, so nobody who comes later can take it.
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
