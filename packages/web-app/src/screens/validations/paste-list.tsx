import { limits } from '@mailproof/shared-types';
import { useRef, useState } from 'react';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { Button } from '../../design/button.tsx';
import { TextArea } from '../../design/field.tsx';
import { countOf, formatDay } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import type { Upload } from './upload.ts';
import styles from './validations.module.css';

interface PasteListProps {
  readonly onSend: (upload: Upload) => void;
  /** Whether the example is filled in. */
  readonly isSample?: boolean;
}

/** A text field for pasted addresses. */
export function PasteList({ onSend, isSample = false }: PasteListProps) {
  const [text, setText] = useState(isSample ? sampleList : '');
  const [error, setError] = useState<string>();
  const sent = useRef<{ readonly text: string; readonly key: string }>(undefined);
  const atSigns = text.split('@').length - 1;
  function fillIn() {
    setText(sampleList);
    setError(undefined);
  }
  function send() {
    const isTooLong = new Blob([text]).size > limits.jobListBytesMax;
    const fault = isTooLong
      ? 'The text is too long to paste: save it as a file and upload that.'
      : text.trim() === ''
        ? 'Paste some addresses first.'
        : undefined;
    setError(fault);
    if (fault) return;
    const name = text === sampleList ? 'Example' : `Pasted ${formatDay(new Date().toISOString())}`;
    // The same text again is a retry, whose first answer may have been lost.
    const key = sent.current?.text === text ? sent.current.key : newIdempotencyKey();
    sent.current = { text, key };
    onSend({ path: '/validation-jobs/pasted', query: { name }, body: text, mediaType: 'text/plain', key });
  }
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        label="Addresses"
        hint="One per line, or separated by commas, semicolons or tabs. Name <address> keeps the name."
        rows={10}
        spellCheck={false}
        autoComplete="off"
        value={text}
        error={error}
        onChange={({ target }) => setText(target.value)}
      />
      <Row>
        <Button type="submit" look="primary">
          Continue
        </Button>
        <Button onClick={fillIn}>Insert example</Button>
        {atSigns > 0 && <span className={styles.soft}>About {countOf(atSigns, 'address', 'addresses')}</span>}
      </Row>
      {text === sampleList && (
        <p className={styles.soft}>
          These addresses are synthetic. If Mailproof runs on the mail lab, they get every kind of result. On
          the internet their domains do not exist, and each result is invalid. They cost credits like other
          addresses.
        </p>
      )}
    </form>
  );
}

/** Addresses in the mail lab with every kind of result; none belongs to a real person (RFC 2606 section 3). */
const sampleList = `Ada Lovelace <ada@ordinary.example>
Grace Hopper <grace@ordinary.example>
nobody@ordinary.example
ADA@ordinary.example
ada@google-workspace.example
former@google-workspace.example
full@google-workspace.example
ada@microsoft365.example
nobody@microsoft365.example
ada@mimecast.example
ada@proofpoint.example
ada@catch-all.example
grace.ordinary.example
`;
