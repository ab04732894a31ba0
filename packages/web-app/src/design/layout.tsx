import { type ReactNode, useId } from 'react';
import styles from './layout.module.css';
import { classes } from './looks.ts';

interface PageProps {
  /** The heading and the window title. */
  readonly title: string;
  /** The part of a page with several, at the beginning of the window title. */
  readonly section?: string | undefined;
  readonly lead?: ReactNode;
  /** Buttons for the actions of this screen. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen with its heading. */
export function Page({ title, section, lead, actions, children }: PageProps) {
  return (
    <div className={styles.page}>
      <WindowTitle title={title} section={section} />
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <div className={styles.lead}>{lead}</div>}
        </div>
        {actions && <div className={styles.row}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** The title of the window, from which tabs, bookmarks and the history take the name of a screen. */
export function WindowTitle({ title, section }: Pick<PageProps, 'title' | 'section'>) {
  return <title>{[section, title, 'Mailproof'].filter(Boolean).join(' · ')}</title>;
}

interface CardProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A section of a screen; with a title, it is also an ARIA region. */
export function Card({ title, actions, className, children }: CardProps) {
  const id = useId();
  return (
    <section className={classes(styles.card, className)} aria-labelledby={title ? id : undefined}>
      {(title || actions) && (
        <div className={styles.cardHead}>
          {title && <h2 id={id}>{title}</h2>}
          {actions && <div className={styles.row}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** Lays out children side by side; they wrap on narrow screens. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}

/** Stacks children vertically. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

/** Lays out equal children that share the width. */
export function Grid({ children }: { readonly children: ReactNode }) {
  return <div className={styles.grid}>{children}</div>;
}

/** A list of names with their values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <FactPair key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactPair({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** The product's logo. */
export function Mark({ size = 26 }: { readonly size?: number }) {
  return <img src={`${import.meta.env.BASE_URL}mark.svg`} width={size} height={size} alt="" />;
}
