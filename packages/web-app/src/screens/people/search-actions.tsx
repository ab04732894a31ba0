import { useNavigate } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { RenameSearch } from '../discovery/rename-search.tsx';
import { refreshSearches, searchOf } from './people-queries.ts';
import type { Search } from './search-screen.tsx';

/** Names a search otherwise, and deletes it. */
export function SearchActions({ search }: { readonly search: Search }) {
  const [asks, setAsks] = useState<'name' | 'delete'>();
  const navigate = useNavigate();
  const close = (isOpen: boolean) => !isOpen && setAsks(undefined);
  const params = { path: { search_id: search.search_id } };
  const { queryKey } = searchOf(search.search_id);
  async function rename(name: string) {
    await api.PUT('/people-searches/{search_id}/name', { params, body: { name } });
    await Promise.all([queryClient.invalidateQueries({ queryKey }), refreshSearches()]);
    announce('The search has its new name.');
  }
  async function remove() {
    await api.DELETE('/people-searches/{search_id}', { params });
    await navigate({ to: '/people' });
    queryClient.removeQueries({ queryKey });
    await refreshSearches();
    announce('The search is deleted.');
  }
  return (
    <>
      <Button onClick={() => setAsks('name')}>
        <Pencil size={16} aria-hidden />
        Rename
      </Button>
      <Button onClick={() => setAsks('delete')}>
        <Trash2 size={16} aria-hidden />
        Delete
      </Button>
      <RenameSearch name={search.name} open={asks === 'name'} onOpenChange={close} onRename={rename} />
      <Confirm
        title="Delete this search?"
        lead="The search and the record of its runs go. The people you have saved stay, and so do the receipts."
        verb="Delete the search"
        isDanger
        disabled={search.active_run_id !== null}
        open={asks === 'delete'}
        onOpenChange={close}
        onConfirm={remove}
      >
        {search.active_run_id && (
          <Notice tone="caution">A run is under way: stop it, or wait for its end.</Notice>
        )}
      </Confirm>
    </>
  );
}
