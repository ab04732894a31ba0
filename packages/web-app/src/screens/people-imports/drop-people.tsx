import { limits } from '@mailproof/shared-types';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { useDropzone } from 'react-dropzone';
import { Button } from '../../design/button.tsx';
import { formatOctets } from '../../design/format.ts';
import { classes } from '../../design/looks.ts';
import { Notice } from '../../design/states.tsx';
import styles from './people-imports.module.css';

/** A drop zone for a file of people, with a button to choose one. */
export function DropPeople({ onFile }: { readonly onFile: (file: File) => void }) {
  const [refused, setRefused] = useState<string>();
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    noClick: true,
    noKeyboard: true,
    multiple: false,
    onDrop(files: readonly File[]) {
      const [file] = files;
      const words = file === undefined ? 'Drop one file.' : refusalOf(file);
      setRefused(words);
      if (file && words === undefined) onFile(file);
    },
  });
  return (
    <>
      <div {...getRootProps()} className={classes(styles.drop, isDragActive && styles.over)}>
        <input {...getInputProps({ 'aria-label': 'File of people' })} />
        <FileUp size={32} aria-hidden />
        <strong>{isDragActive ? 'Drop to upload' : 'Drop a CSV or Excel file here'}</strong>
        <Button look="primary" onClick={open}>
          Choose file
        </Button>
        <span className={styles.soft}>
          Up to {limits.peopleImportRowsMax.toLocaleString('en')} rows and{' '}
          {formatOctets(limits.peopleImportBytesMax)}. Each row needs a profile URL and a name.
        </span>
      </div>
      {refused && (
        <Notice tone="bad" title="File not uploaded" alert>
          <span>{refused}</span>
        </Notice>
      )}
    </>
  );
}

function refusalOf({ size }: File): string | undefined {
  return size <= limits.peopleImportBytesMax
    ? undefined
    : `The file has ${formatOctets(size)}; the limit is ${formatOctets(limits.peopleImportBytesMax)}. Split it, or remove columns that you do not need.`;
}
