import { Copy } from 'lucide-react';
import { Button } from './button.tsx';
import { announce } from './toasts.tsx';

interface CopyButtonProps {
  /** What is copied, or how it is got when it is wanted. */
  readonly text: string | (() => Promise<string>);
  /** What it is, such as "The key". */
  readonly what: string;
  readonly children?: string;
}

/** Puts a text where it can be pasted from, and says so. */
export function CopyButton({ text, what, children = 'Copy' }: CopyButtonProps) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      announce(`${what} is copied.`);
    } catch {
      announce(`${what} could not be copied. Select it, and copy it by hand.`);
    }
  }
  return (
    <Button onClick={copy}>
      <Copy size={16} aria-hidden />
      {children}
      <span className="visually-hidden">: {what}</span>
    </Button>
  );
}
