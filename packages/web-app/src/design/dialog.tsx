import { X } from 'lucide-react';
import { Dialog as Parts } from 'radix-ui';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { Failure } from './states.tsx';
import { useDialogFocus } from './use-dialog-focus.ts';

interface DialogProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children?: ReactNode;
}

/** A question that has to be answered before anything else. */
export function Dialog(props: DialogProps) {
  return <Layer {...props} className={styles.dialog} />;
}

/** Work beside what one looks at: comes in from the side, and covers a telephone whole. */
export function Drawer(props: DialogProps) {
  return <Layer {...props} className={styles.drawer} />;
}

function Layer({
  title,
  lead,
  open,
  onOpenChange,
  children,
  className,
}: DialogProps & { readonly className: string | undefined }) {
  const focus = useDialogFocus(open);
  return (
    <Parts.Root open={open} onOpenChange={onOpenChange}>
      <Parts.Portal>
        <Parts.Overlay className={styles.veil} />
        <Parts.Content className={className} {...focus} {...(!lead && { 'aria-describedby': undefined })}>
          <div className={styles.head}>
            <Parts.Title>{title}</Parts.Title>
            <Parts.Close asChild>
              <IconButton name="Close">
                <X size={18} aria-hidden />
              </IconButton>
            </Parts.Close>
          </div>
          {lead && <Parts.Description className={styles.lead}>{lead}</Parts.Description>}
          {children}
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen, and what cannot be taken back. */
  readonly lead: ReactNode;
  /** The word on the button, such as "Delete". */
  readonly verb: string;
  /** The word on the other button, where "Cancel" could be taken for what is asked about. */
  readonly otherwise?: string;
  readonly isDanger?: boolean;
  /** Whether something is missing that has to be entered or chosen first. */
  readonly disabled?: boolean;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Does it; the dialog closes when it has been done, and says why where it has not. */
  readonly onConfirm: () => Promise<unknown>;
  /** Fields, and what else has to be seen; Enter in a field confirms. */
  readonly children?: ReactNode;
}

/** Asks before something is done. It stays as long as that is under way, since closing it would not take anything back. */
export function Confirm({ title, lead, open, onOpenChange, onConfirm, ...form }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const change = (isOpen: boolean) => !busy && onOpenChange(isOpen);
  async function confirm() {
    setBusy(true);
    try {
      await onConfirm();
      onOpenChange(false);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Dialog title={title} lead={lead} open={open} onOpenChange={change}>
      <ConfirmForm {...form} busy={busy} onCancel={() => change(false)} onConfirm={confirm} />
    </Dialog>
  );
}

interface ConfirmFormProps
  extends Pick<ConfirmProps, 'verb' | 'otherwise' | 'isDanger' | 'disabled' | 'children'> {
  readonly busy: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => Promise<void>;
}

/** It is there as long as the dialog is open, so that what went wrong is gone with it. */
function ConfirmForm(props: ConfirmFormProps) {
  const { verb, otherwise = 'Cancel', isDanger, disabled, busy, onCancel, onConfirm, children } = props;
  const [error, setError] = useState<unknown>();
  function submit(event: SubmitEvent) {
    event.preventDefault();
    // A portal hands events on to the form in which the dialog was written.
    event.stopPropagation();
    setError(undefined);
    onConfirm().catch(setError);
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      {children}
      {error !== undefined && <Failure error={error} />}
      <div className={styles.actions}>
        <Button disabled={busy} onClick={onCancel}>
          {otherwise}
        </Button>
        <Button type="submit" look={isDanger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
          {verb}
        </Button>
      </div>
    </form>
  );
}
