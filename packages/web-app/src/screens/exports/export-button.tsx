import { Upload } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../design/button.tsx';
import type { ExportSource } from './export-words.ts';

/** The drawer, loaded when it is opened: every screen with rows has a button for it, but few visits use it. */
export const LazyExportDrawer = lazy(async () => ({
  default: (await import('./export-drawer.tsx')).ExportDrawer,
}));

interface ExportButtonProps {
  readonly source: ExportSource;
  /** The name of the rows. */
  readonly name?: string | undefined;
  readonly look?: 'primary' | 'secondary';
  /** Defaults to “Export”. */
  readonly label?: string;
}

/** A button that exports the rows of a screen. */
export function ExportButton({ source, name, look = 'secondary', label = 'Export' }: ExportButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)}>
        <Upload size={16} aria-hidden />
        {label}
      </Button>
      {isOpen && (
        <Suspense>
          <LazyExportDrawer source={source} name={name} open onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  );
}
