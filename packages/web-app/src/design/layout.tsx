import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import styles from './layout.module.css';

interface PageProps {
  /** The heading, and the title of the window. */
  readonly title: string;
  readonly lead?: ReactNode;
  /** What can be begun here. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen with its heading. */
export function Page({ title, lead, actions, children }: PageProps) {
  return (
    <div className={styles.page}>
      <title>{`${title} · Mailproof`}</title>
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

interface CardProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A part of a screen, a region of its own where it has a title. */
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

/** Things side by side, which wrap where it is narrow. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}

/** Things below each other. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

/** Equal things that share the width. */
export function Grid({ children }: { readonly children: ReactNode }) {
  return <div className={styles.grid}>{children}</div>;
}

/** Names and what they stand for. */
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
