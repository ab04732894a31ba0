import { Upload } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../design/button.tsx';
import type { ExportSource } from './export-words.ts';

// Loaded when it is opened: every screen with rows has the button, few visits use it.
const ExportDrawer = lazy(async () => ({ default: (await import('./export-drawer.tsx')).ExportDrawer }));

interface ExportButtonProps {
  readonly source: ExportSource;
  /** What the rows are called. */
  readonly name?: string | undefined;
  readonly look?: 'primary' | 'secondary';
}

/** Takes the rows of a screen out of here. */
export function ExportButton({ source, name, look = 'secondary' }: ExportButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)}>
        <Upload size={16} aria-hidden />
        Export
      </Button>
      {isOpen && (
        <Suspense>
          <ExportDrawer source={source} name={name} open onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  );
}
