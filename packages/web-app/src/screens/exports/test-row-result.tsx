import type { Schema } from '../../api/client.ts';
import { Facts } from '../../design/layout.tsx';
import { Notice } from '../../design/states.tsx';
import { PresetNotice } from './destination-fields.tsx';
import styles from './exports.module.css';
import { SecretText } from './secret-text.tsx';
import { readableRow, testRowWords } from './test-row-words.ts';

type Result = Schema['TestRowResult'];

interface TestRowResultProps {
  readonly result: Result;
  /** Rows that are to follow. */
  readonly rows: number;
  /** Whether the receiver was known by its address alone, so that nobody has been told of it yet. */
  readonly isRecognised: boolean;
}

/** What came of a test row: what the receiver said, what it was sent, and what to know of it. */
export function TestRowResult({ result, rows, isRecognised }: TestRowResultProps) {
  const { tone, title, advice } = testRowWords(result);
  return (
    <section className={styles.test} aria-label="The test row">
      <Notice tone={tone} title={title} alert>
        {advice && <span>{advice}</span>}
        {result.answer.trim() !== '' && (
          <div className={styles.answer}>
            <span className={styles.soft}>It answered</span>
            <Text name="What it answered">{result.answer}</Text>
          </div>
        )}
      </Notice>
      <details className={styles.more}>
        <summary>The row as it was sent</summary>
        <Text name="The row as it was sent">{readableRow(result.row)}</Text>
      </details>
      {isRecognised && <PresetNotice preset={result.push.preset} rows={rows} />}
      <Facts
        facts={[['Rows are signed with', <SecretText key="secret" secret={result.push.signing_secret} />]]}
      />
    </section>
  );
}

/** Text as it came, however much it is. */
function Text({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section className={styles.text} aria-label={name} tabIndex={0}>
      <pre>{children}</pre>
    </section>
  );
}
