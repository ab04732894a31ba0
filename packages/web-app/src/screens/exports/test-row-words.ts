import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';

type Result = Pick<Schema['TestRowResult'], 'outcome' | 'status_code' | 'failure' | 'elapsed_ms'>;

interface Words {
  readonly tone: 'good' | 'caution' | 'bad';
  readonly title: string;
  readonly advice: string | undefined;
}

/** What a test row has shown, as one would say it. */
export function testRowWords({ outcome, status_code, failure, elapsed_ms }: Result): Words {
  const took = `after ${formatNumber(elapsed_ms)} ms`;
  switch (outcome) {
    case 'delivered':
      return {
        tone: 'good',
        title: `The row arrived: answered with ${status_code} ${took}`,
        advice: undefined,
      };
    case 'throttled':
      return {
        tone: 'caution',
        title: `The receiver asked us to wait: answered with ${status_code} ${took}`,
        advice: 'It is there and lets us in. A push waits for as long as it says and loses no row.',
      };
    case 'failed':
      return {
        tone: 'bad',
        title:
          status_code === null
            ? `The row did not arrive: no answer ${took}`
            : `The row did not arrive: answered with ${status_code} ${took}`,
        advice: failure?.detail,
      };
  }
}

/** A row with each field on a line of its own; what is no row stays as it is. */
export function readableRow(row: string): string {
  try {
    return JSON.stringify(JSON.parse(row), null, 2);
  } catch {
    return row;
  }
}
