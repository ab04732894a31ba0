import { createLink } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  /** While what it began is under way: it cannot be pressed again, and turns. */
  readonly busy?: boolean | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** Begins something. One that is busy keeps the focus, which one that is disabled would lose. */
export function Button({ look = 'secondary', busy, children, className, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy}
      // Enter in a field presses the button of its form, too.
      onClick={busy ? refuse : onClick}
      className={classes(styles.button, styles[look], className)}
    >
      {busy && <LoaderCircle size={16} className={styles.spinner} aria-hidden />}
      {children}
    </button>
  );
}

function refuse(event: MouseEvent): void {
  event.preventDefault();
}

/** A button that shows a picture alone; its name is for screen readers and appears as a hint. */
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

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly look?: Look;
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** A link out of the application, or to a file, that looks like a button. */
export function AnchorButton({ look = 'secondary', className, children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={classes(styles.button, styles[look], className)}>
      {children}
    </a>
  );
}

/** A link to another screen that looks like a button. */
export const LinkButton = createLink(AnchorButton);
