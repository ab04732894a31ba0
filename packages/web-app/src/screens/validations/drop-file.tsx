import { limits } from '@mailproof/shared-types';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { useDropzone } from 'react-dropzone';
import type { paths } from '../../api/generated/schema.d.ts';
import { Button } from '../../design/button.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { formatOctets } from '../../design/format.ts';
import { Grid } from '../../design/layout.tsx';
import { classes } from '../../design/looks.ts';
import { Notice } from '../../design/states.tsx';
import { fileUpload, tooLargeWords, type Upload } from './upload.ts';
import styles from './validations.module.css';

type Encoding = NonNullable<
  NonNullable<paths['/validation-jobs']['post']['parameters']['query']>['encoding']
>;

const encodings = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16, little-endian',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Windows, Western Europe (1252)',
  'windows-1250': 'Windows, Central Europe (1250)',
  'windows-1251': 'Windows, Cyrillic (1251)',
  'windows-1253': 'Windows, Greek (1253)',
  'windows-1254': 'Windows, Turkish (1254)',
  'iso-8859-2': 'ISO 8859-2, Central Europe',
  'iso-8859-15': 'ISO 8859-15, Western Europe',
  'koi8-r': 'KOI8-R, Cyrillic',
  macintosh: 'Mac OS Roman',
  shift_jis: 'Shift JIS, Japanese',
  gb18030: 'GB 18030, Chinese',
  big5: 'Big5, Chinese',
  'euc-kr': 'EUC-KR, Korean',
} as const satisfies Record<Encoding, string>;

const delimiters = {
  ',': 'Commas',
  ';': 'Semicolons',
  tab: 'Tabs',
  '|': 'Vertical bars',
  none: 'None: one cell per line',
};

/** A drop zone for a file, with a button to choose one. */
export function DropFile({
  onSend,
  onSeveral,
}: {
  readonly onSend: (upload: Upload) => void;
  readonly onSeveral: (files: readonly File[]) => void;
}) {
  const [refused, setRefused] = useState<string>();
  const [reading, setReading] = useState<Record<string, string>>({});
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    noClick: true,
    noKeyboard: true,
    onDrop(files: readonly File[]) {
      const [file] = files;
      const tooLarge = file && files.length === 1 ? tooLargeWords(file) : undefined;
      setRefused(tooLarge);
      if (files.length > 1) onSeveral(files);
      else if (file && !tooLarge) onSend(fileUpload(file, reading));
    },
  });
  const choose = (what: string, value: string) => {
    const { [what]: _before, ...others } = reading;
    setReading(value === '' ? others : { ...others, [what]: value });
  };
  return (
    <>
      <div {...getRootProps()} className={classes(styles.drop, isDragActive && styles.over)}>
        <input {...getInputProps({ 'aria-label': 'File with addresses' })} />
        <FileUp size={32} aria-hidden />
        <strong>{isDragActive ? 'Drop to upload' : 'Drop CSV or Excel files here'}</strong>
        <Button look="primary" onClick={open}>
          Choose files
        </Button>
        <span className={styles.soft}>
          Up to {limits.jobRowsMax.toLocaleString('en')} rows and {formatOctets(limits.jobUploadBytesMax)} a
          file; Excel (.xlsx) up to {formatOctets(limits.workbookBytesMax)}.
        </span>
      </div>
      {refused && (
        <Notice tone="bad" title="File not uploaded" alert>
          <span>{refused}</span>
        </Notice>
      )}
      <details className={styles.details}>
        <summary>Format</summary>
        <p className={styles.soft}>
          The format is detected automatically. Override it here if the detection is wrong.
        </p>
        <Grid>
          <Select
            label="Encoding"
            value={reading['encoding'] ?? ''}
            onChange={event => choose('encoding', event.target.value)}
          >
            <option value="">Detect</option>
            {Object.entries(encodings).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
          <Select
            label="Delimiter"
            value={reading['delimiter'] ?? ''}
            onChange={event => choose('delimiter', event.target.value)}
          >
            <option value="">Detect</option>
            {Object.entries(delimiters).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
          <TextInput
            label="Sheet of a workbook"
            hint="Its name or number; the first one if empty."
            maxLength={limits.sheetNameCharactersMax}
            value={reading['sheet'] ?? ''}
            onChange={event => choose('sheet', event.target.value)}
          />
        </Grid>
      </details>
    </>
  );
}
