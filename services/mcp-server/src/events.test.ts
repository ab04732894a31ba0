import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@mailproof/service-kit';
import { createEvents } from './events.ts';

describe('a fault that clients can cause without limit', () => {
  it('is logged once a second for each kind of fault', () => {
    const lines: string[] = [];
    const events = createEvents(
      createLogger({
        service: 'mcp-server',
        level: 'info',
        destination: { write: line => void lines.push(String(JSON.parse(line).message)) },
      }),
    );
    for (let fault = 0; fault < 100; fault += 1) {
      events.authorizationServerFailed(new Error(`Request ${fault} failed.`));
      events.signInFailed(new Error(`Sign-in ${fault} failed.`));
    }
    events.signInFailed(Object.assign(new Error('Another one.'), { code: 'ECONNREFUSED' }));
    expect(lines).toEqual(['authorization server failed', 'sign-in failed', 'sign-in failed']);
  });
});
