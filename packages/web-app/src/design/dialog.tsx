import { X } from 'lucide-react';
import { Dialog as Parts } from 'radix-ui';
import { type ReactNode, type SubmitEvent, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { TextInput } from './field.tsx';
import { Failure } from './states.tsx';

interface DialogProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children?: ReactNode;
}

/** A modal dialog. */
export function Dialog(props: DialogProps) {
  return <Layer {...props} className={styles.dialog} />;
}

/** A dialog that slides in from the side; on a phone it covers the whole screen. */
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
  /** Closing would not stop a form that is being sent, and would hide its answer, such as a key that is shown once. */
  function change(isOpen: boolean) {
    if (!focus.ref.current?.querySelector('[type="submit"][aria-busy="true"]')) onOpenChange(isOpen);
  }
  return (
    <Parts.Root open={open} onOpenChange={change}>
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
  /** What will happen, and what cannot be undone. */
  readonly lead: ReactNode;
  /** The label of the confirming button, such as "Delete". */
  readonly verb: string;
  /** The label of the other button, for dialogs in which "Cancel" could be mistaken for the action. */
  readonly otherwise?: string;
  readonly isDanger?: boolean;
  /** Whether the user must enter or choose something first. */
  readonly disabled?: boolean;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Performs the action; the dialog closes on success and shows the error on failure. */
  readonly onConfirm: () => Promise<unknown>;
  /** Fields and other content; Enter in a field confirms. */
  readonly children?: ReactNode;
}

/** Asks for confirmation. */
export function Confirm({ title, lead, open, onOpenChange, onConfirm, ...form }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
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
    <Dialog title={title} lead={lead} open={open} onOpenChange={onOpenChange}>
      <ConfirmForm {...form} busy={busy} onCancel={() => onOpenChange(false)} onConfirm={confirm} />
    </Dialog>
  );
}

interface ConfirmFormProps
  extends Pick<ConfirmProps, 'verb' | 'otherwise' | 'isDanger' | 'disabled' | 'children'> {
  readonly busy: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => Promise<void>;
}

/**
 * The form of a confirmation. It is mounted only while the dialog is open, so that closing the dialog also discards the
 * error.
 */
function ConfirmForm(props: ConfirmFormProps) {
  const { verb, otherwise = 'Cancel', isDanger, disabled, busy, onCancel, onConfirm, children } = props;
  const [error, setError] = useState<unknown>();
  function submit(event: SubmitEvent) {
    event.preventDefault();
    // Events from a portal also reach the form that renders the dialog.
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

interface TypedConfirmProps {
  readonly title: string;
  readonly lead: ReactNode;
  /** The label of the button. */
  readonly verb: string;
  /** The text that the user must type, such as the account's name, and the label of that text. */
  readonly wanted: string;
  readonly wantedName: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Performs the action; a failure is shown. */
  readonly onConfirm: () => Promise<unknown>;
  /** Further fields. */
  readonly children?: ReactNode;
}

/** Asks to confirm an action that cannot be undone: the user types a name, so that a stray click does nothing. */
export function TypedConfirm({ wanted, wantedName, onOpenChange, children, ...rest }: TypedConfirmProps) {
  const [typed, setTyped] = useState('');
  function change(open: boolean) {
    setTyped('');
    onOpenChange(open);
  }
  return (
    <Confirm {...rest} isDanger disabled={typed !== wanted} onOpenChange={change}>
      <p className={styles.wanted}>
        To confirm, type {wantedName}: <strong>{wanted}</strong>
      </p>
      <TextInput
        label={wantedName.charAt(0).toUpperCase() + wantedName.slice(1)}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={event => setTyped(event.target.value)}
      />
      {children}
    </Confirm>
  );
}

/**
 * Manages the focus of a dialog. On opening, the focus moves to the first field, if there is one. On closing, it
 * returns to the element that opened the dialog, or to the screen's heading if that element is gone. Radix returns the
 * focus only to a `Dialog.Trigger`.
 */
function useDialogFocus(open: boolean) {
  const content = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement>(null);
  // Runs before the focus moves, because the dialog is mounted after this effect.
  useLayoutEffect(() => {
    if (open) opener.current = openerOf(document.activeElement);
  }, [open]);
  return {
    ref: content,
    onOpenAutoFocus(event: Event) {
      const field = content.current?.querySelector<HTMLElement>(fields);
      if (!field) return;
      event.preventDefault();
      field.focus();
      if (field instanceof HTMLInputElement) field.select();
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // The action may have moved the focus elsewhere.
      if (document.activeElement !== document.body) return;
      const back = opener.current?.isConnected
        ? opener.current
        : document.querySelector<HTMLElement>('main h1');
      back?.focus();
    },
  };
}

const fields = ':is(input:not([type="hidden"], [hidden]), select, textarea):not(:disabled)';

/** A menu item disappears with its menu, so the menu's button counts as the opener. */
function openerOf(focused: Element | null): HTMLElement | null {
  const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
