import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { TextArea } from '../../design/field.tsx';
import { countOf, formatDay } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { sampleList } from './sample-list.ts';
import type { Upload } from './upload.ts';
import styles from './validations.module.css';

/** A place to paste addresses into. */
export function PasteList({ onSend }: { readonly onSend: (upload: Upload) => void }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const atSigns = text.split('@').length - 1;
  function fillIn() {
    setText(sampleList);
    setError(undefined);
  }
  function send() {
    const isTooLong = new Blob([text]).size > limits.jobListBytesMax;
    const fault = isTooLong
      ? 'This is too long to be pasted: save it as a file, and send that.'
      : text.trim() === ''
        ? 'Paste some addresses first.'
        : undefined;
    setError(fault);
    if (fault) return;
    const name = text === sampleList ? 'Example' : `Pasted ${formatDay(new Date().toISOString())}`;
    onSend({ path: '/validation-jobs/pasted', query: { name }, body: text, mediaType: 'text/plain' });
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
        hint="One a line, or with commas, semicolons or tabs between. Name <address> keeps the name."
        rows={10}
        spellCheck={false}
        autoComplete="off"
        value={text}
        error={error}
        onChange={({ target }) => setText(target.value)}
      />
      <Row>
        <Button type="submit" look="primary">
          Look at the list
        </Button>
        <Button onClick={fillIn}>Fill in an example</Button>
        {atSigns > 0 && <span className={styles.soft}>About {countOf(atSigns, 'address', 'addresses')}</span>}
      </Row>
      {text === sampleList && (
        <p className={styles.soft}>
          Invented addresses. An installation with the mail lab, as one has it after <code>npm start</code>,
          knows them and answers with something of everything; to any other their domains do not exist, and
          they come out as invalid. They cost like all others.
        </p>
      )}
    </form>
  );
}
