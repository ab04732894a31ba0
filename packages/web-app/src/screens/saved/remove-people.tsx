import { prices } from '@mailproof/shared-types';
import { api } from '../../api/client.ts';
import { savedHasChanged } from '../../api/saved-lists.ts';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatCredits } from '../../design/format.ts';
import { announce } from '../../design/toasts.tsx';

interface RemovePeopleProps {
  readonly ids: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDone: () => void;
}

/** Lets go of saved people, after asking. */
export function RemovePeople({ ids, open, onOpenChange, onDone }: RemovePeopleProps) {
  async function remove() {
    const { data } = await api.POST('/saved-people/removals', { body: { person_ids: [...ids] } });
    const kept = data?.kept ?? 0;
    announce(
      `${countOf(data?.removed ?? 0, 'person', 'people')} removed${kept > 0 ? `; ${kept} stay until the run that saves them has ended` : ''}.`,
    );
    savedHasChanged();
    onDone();
  }
  return (
    <Confirm
      title={`Remove ${countOf(ids.length, 'person', 'people')}?`}
      lead={`They leave what is saved and every list. Nothing is refunded, and saving them again costs ${formatCredits(prices.savedPerson)} each.`}
      verb="Remove"
      isDanger
      open={open}
      onOpenChange={onOpenChange}
      onConfirm={remove}
    />
  );
}
