import { Pause, Play } from 'lucide-react';
import { Button } from './button.tsx';

interface PauseButtonProps {
  readonly isPaused: boolean;
  /** Whether what was pressed has not been answered yet. */
  readonly busy: boolean;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** Stops work that is under way for a while, or lets it go on. */
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
