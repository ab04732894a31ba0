import { Copy } from 'lucide-react';
import { Button } from './button.tsx';
import { announce } from './toasts.tsx';

interface CopyButtonProps {
  /** The text to copy, or a function that fetches it when the button is pressed. */
  readonly text: string | (() => Promise<string>);
  /** The name of the text, such as "The key". */
  readonly what: string;
  readonly children?: string;
}

/** A button that copies text to the clipboard and announces it. */
export function CopyButton({ text, what, children = 'Copy' }: CopyButtonProps) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      announce(`${what} copied.`);
    } catch {
      announce(`${what} could not be copied. Select the text and copy it manually.`);
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
