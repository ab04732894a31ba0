import { useBlocker } from '@tanstack/react-router';
import { Confirm } from '../../design/dialog.tsx';

const always = () => true;

/** Leaving the screen stops the upload, so it asks first. */
export function AskBeforeLeaving({ onStop }: { readonly onStop: () => void }) {
  const leaving = useBlocker({ shouldBlockFn: always, withResolver: true });
  return (
    <Confirm
      title="Cancel the upload?"
      lead="The upload is not complete. If you leave now, the rest is not stored."
      verb="Cancel upload"
      otherwise="Keep uploading"
      isDanger
      open={leaving.status === 'blocked'}
      onOpenChange={isOpen => !isOpen && leaving.reset?.()}
      onConfirm={async () => {
        onStop();
        leaving.proceed?.();
      }}
    />
  );
}
