import { limits } from '@mailproof/shared-types';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { type FileRejection, useDropzone } from 'react-dropzone';
import type { paths } from '../../api/generated/schema.d.ts';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { formatOctets } from '../../design/format.ts';
import { Grid } from '../../design/layout.tsx';
import { classes } from '../../design/looks.ts';
import { Notice } from '../../design/states.tsx';
import type { Upload } from './upload.ts';
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
export function DropFile({ onSend }: { readonly onSend: (upload: Upload) => void }) {
  const [refused, setRefused] = useState<string>();
  const [reading, setReading] = useState<Record<string, string>>({});
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    multiple: false,
    maxSize: limits.jobUploadBytesMax,
    noClick: true,
    noKeyboard: true,
    onDrop(files: readonly File[], rejections: readonly FileRejection[]) {
      const [file] = files;
      setRefused(file ? undefined : whyRefused(rejections));
      if (file) {
        const name = nameOf(file);
        onSend({
          path: '/validation-jobs',
          query: { ...(name && { name }), ...reading },
          body: file,
          mediaType: 'text/csv',
        });
      }
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
        <strong>{isDragActive ? 'Drop to upload' : 'Drop a CSV file here'}</strong>
        <Button look="primary" onClick={open}>
          Choose a file
        </Button>
        <span className={styles.soft}>
          Up to {limits.jobRowsMax.toLocaleString('en')} rows and {formatOctets(limits.jobUploadBytesMax)}.
          From Excel or Sheets: save as CSV.
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
        </Grid>
      </details>
    </>
  );
}

function whyRefused(rejections: readonly FileRejection[]): string {
  if (rejections.length > 1) return 'Upload one file at a time.';
  const [rejection] = rejections;
  return rejection?.errors.some(({ code }) => code === 'file-too-large')
    ? `The file has ${formatOctets(rejection.file.size)}; the limit is ${formatOctets(limits.jobUploadBytesMax)}. Remove columns that you do not need, or split the file.`
    : 'This file cannot be read.';
}

/** Returns the file name without invisible characters, truncated to the maximum length of a job name. */
function nameOf({ name }: File): string {
  return name.replace(/\p{C}/gu, '').trim().slice(0, limits.jobNameCharactersMax);
}
