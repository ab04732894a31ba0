import { limits } from '@mailproof/shared-types';
import { FileUp } from 'lucide-react';
import { useDropzone } from 'react-dropzone';
import { Button } from '../../design/button.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { formatOctets } from '../../design/format.ts';
import { Grid } from '../../design/layout.tsx';
import { delimiters, encodings, type Reading, withChoice } from './file-format.ts';
import styles from './validations.module.css';

interface DropFileProps {
  readonly reading: Reading;
  readonly onReading: (reading: Reading) => void;
  readonly onFiles: (files: readonly File[]) => void;
}

/** The place for files, with a button to choose some; the whole page takes dropped ones. */
export function DropFile({ reading, onReading, onFiles }: DropFileProps) {
  const { getRootProps, getInputProps, open } = useDropzone({
    noClick: true,
    noKeyboard: true,
    noDrag: true,
    onDrop: onFiles,
  });
  const choose = (change: Partial<Record<keyof Reading, string>>) => onReading(withChoice(reading, change));
  return (
    <>
      <div {...getRootProps()} className={styles.drop}>
        <input {...getInputProps({ 'aria-label': 'File with addresses' })} />
        <FileUp size={32} aria-hidden />
        <strong>Drop CSV or Excel files here</strong>
        <Button look="primary" onClick={open}>
          Choose files
        </Button>
        <span className={styles.soft}>
          Up to {limits.jobRowsMax.toLocaleString('en')} rows and {formatOctets(limits.jobUploadBytesMax)} a
          file; Excel (.xlsx) up to {formatOctets(limits.workbookBytesMax)}.
        </span>
      </div>
      <details className={styles.details}>
        <summary>Format</summary>
        <p className={styles.soft}>
          The format is detected automatically. Override it here if the detection is wrong.
        </p>
        <Grid>
          <EncodingSelect value={reading.encoding ?? ''} onChange={encoding => choose({ encoding })} />
          <DelimiterSelect value={reading.delimiter ?? ''} onChange={delimiter => choose({ delimiter })} />
          <TextInput
            label="Sheet of a workbook"
            hint="Its name or number; the first one if empty."
            maxLength={limits.sheetNameCharactersMax}
            value={reading.sheet ?? ''}
            onChange={event => choose({ sheet: event.target.value })}
          />
        </Grid>
      </details>
    </>
  );
}

interface ChoiceProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function EncodingSelect(choice: ChoiceProps) {
  return <DetectedSelect label="Encoding" names={encodings} {...choice} />;
}

export function DelimiterSelect(choice: ChoiceProps) {
  return <DetectedSelect label="Delimiter" names={delimiters} {...choice} />;
}

/** A choice that is left to the detection by default. */
function DetectedSelect({
  label,
  names,
  value,
  onChange,
}: ChoiceProps & { readonly label: string; readonly names: Readonly<Record<string, string>> }) {
  return (
    <Select label={label} value={value} onChange={event => onChange(event.target.value)}>
      <option value="">Detect</option>
      {Object.entries(names).map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </Select>
  );
}
