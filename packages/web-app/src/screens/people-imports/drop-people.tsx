import { limits } from '@mailproof/shared-types';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { useDropzone } from 'react-dropzone';
import { Button } from '../../design/button.tsx';
import { formatOctets } from '../../design/format.ts';
import { Notice } from '../../design/states.tsx';
import { useDroppedFiles } from '../../shell/dropped-files.ts';
import styles from './people-imports.module.css';

/** A drop zone for a file of people, with a button to choose one. */
export function DropPeople({ onFile }: { readonly onFile: (file: File) => void }) {
  const [refused, setRefused] = useState<string>();
  function take(files: readonly File[]) {
    const [file] = files;
    const words = file === undefined || files.length > 1 ? 'Choose one file.' : refusalOf(file);
    setRefused(words);
    if (file && words === undefined) onFile(file);
  }
  useDroppedFiles('Drop a file to import people', take);
  const { getRootProps, getInputProps, open } = useDropzone({
    noClick: true,
    noKeyboard: true,
    noDrag: true,
    multiple: false,
    onDrop: take,
  });
  return (
    <>
      <div {...getRootProps()} className={styles.drop}>
        <input {...getInputProps({ 'aria-label': 'File of people' })} />
        <FileUp size={32} aria-hidden />
        <strong>Drop a CSV or Excel file here</strong>
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
