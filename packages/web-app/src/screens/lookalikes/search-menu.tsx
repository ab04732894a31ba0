import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient } from '../../api/client.ts';
import { IconButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { announce } from '../../design/toasts.tsx';
import { RenameSearch } from '../discovery/rename-search.tsx';
import type { View } from './question.ts';
import { viewQuery } from './view-query.ts';

/** Names a search otherwise, and deletes it. */
export function SearchMenu({ view }: { readonly view: View }) {
  const [asked, setAsked] = useState<'rename' | 'delete'>();
  const navigate = useNavigate();
  const params = { path: { search_id: view.search_id } };
  const close = (open: boolean) => !open && setAsked(undefined);

  async function rename(name: string) {
    const { data } = await api.PUT('/lookalike-searches/{search_id}/name', { params, body: { name } });
    const { queryKey } = viewQuery(view.search_id);
    queryClient.setQueryData(queryKey, known => known && { ...known, name: data?.name ?? name });
    announce('The search has its new name.');
    void queryClient.invalidateQueries({ queryKey: ['get', '/lookalike-searches'] });
  }
  async function remove() {
    await api.DELETE('/lookalike-searches/{search_id}', { params });
    void queryClient.invalidateQueries({ queryKey: ['get', '/lookalike-searches'] });
    announce('The search is deleted.');
    await navigate({ to: '/lookalikes' });
    queryClient.removeQueries({ queryKey: viewQuery(view.search_id).queryKey });
  }
  return (
    <>
      <Menu
        trigger={
          <IconButton name="More" look="secondary">
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setAsked('rename')}>
          <Pencil size={16} aria-hidden />
          Rename
        </MenuItem>
        <MenuItem disabled={view.active_run_id !== null} onSelect={() => setAsked('delete')}>
          <Trash2 size={16} aria-hidden />
          {view.active_run_id ? 'Delete (stop the run first)' : 'Delete'}
        </MenuItem>
      </Menu>
      <RenameSearch name={view.name} open={asked === 'rename'} onOpenChange={close} onRename={rename} />
      <Confirm
        title="Delete this search?"
        lead="Its results go with it. Companies that you have paid for stay paid: another search that finds them shows them free."
        verb="Delete"
        isDanger
        open={asked === 'delete'}
        onOpenChange={close}
        onConfirm={remove}
      />
    </>
  );
}
