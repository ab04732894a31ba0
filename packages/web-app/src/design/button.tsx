import { createLink } from '@tanstack/react-router';
import { LoaderCircle, Pause, Play } from 'lucide-react';
import {
  type AnchorHTMLAttributes,
  type ButtonHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useState,
} from 'react';
import styles from './button.module.css';
import { classes } from './looks.ts';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  /** Whether the action is running; the button then shows a spinner and cannot be pressed. */
  readonly busy?: boolean | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button that starts an action. While busy it keeps the focus, which a disabled button would lose. */
export function Button({ look = 'secondary', busy, children, className, onClick, ...rest }: ButtonProps) {
  function press(event: MouseEvent<HTMLButtonElement>) {
    // The second press of a double click can come before the button is busy, and would submit the form twice.
    const isRepeated = rest.type === 'submit' && event.detail > 1;
    // Enter in a field also presses the form's button.
    if (busy || isRepeated) event.preventDefault();
    else onClick?.(event);
  }
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy}
      onClick={press}
      className={classes(styles.button, styles[look], className)}
    >
      {busy && <LoaderCircle size={16} className={styles.spinner} aria-hidden />}
      {children}
    </button>
  );
}

/** A button with only an icon; its name is read by screen readers and shown as a tooltip. */
export function IconButton({
  name,
  children,
  className,
  look = 'quiet',
  ...rest
}: Omit<ButtonProps, 'children' | 'aria-label'> & { readonly name: string; readonly children: ReactNode }) {
  return (
    <Button {...rest} look={look} aria-label={name} title={name} className={classes(styles.icon, className)}>
      {children}
    </Button>
  );
}

interface LeaveButtonProps extends Omit<ButtonProps, 'busy' | 'onClick'> {
  /** Asks for the URL; what it throws is passed to `onError`. */
  readonly findUrl: () => Promise<string>;
  /** Receives the error of the last attempt, and undefined when another begins. */
  readonly onError: (error: unknown) => void;
}

/** A button that asks for a page outside the application, and goes there. It is busy until the browser has left. */
export function LeaveButton({ findUrl, onError, ...rest }: LeaveButtonProps) {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    // After going back, the browser may restore this page in its busy state.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && setBusy(false);
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, []);
  async function leave() {
    setBusy(true);
    onError(undefined);
    try {
      window.location.assign(await findUrl());
    } catch (fault) {
      onError(fault);
      setBusy(false);
    }
  }
  return <Button {...rest} busy={busy} onClick={leave} />;
}

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly look?: Look;
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** A link that looks like a button and leads to a file or out of the application. */
export function AnchorButton({ look = 'secondary', className, children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={classes(styles.button, styles[look], className)}>
      {children}
    </a>
  );
}

/** A link to another screen that looks like a button. */
export const LinkButton = createLink(AnchorButton);

interface PauseButtonProps {
  readonly isPaused: boolean;
  /** Whether the request to pause or resume is still in progress. */
  readonly busy: boolean;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** Pauses or resumes running work. */
export function PauseButton({ isPaused, busy, onPause, onResume }: PauseButtonProps) {
  return isPaused ? (
    <Button look="primary" busy={busy} onClick={onResume}>
      <Play size={16} aria-hidden />
      Resume
    </Button>
  ) : (
    <Button busy={busy} onClick={onPause}>
      <Pause size={16} aria-hidden />
      Pause
    </Button>
  );
}
