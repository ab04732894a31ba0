import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Send, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { Button, IconButton, PauseButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { DownloadLink } from '../../design/downloads.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { DestinationDialog } from './destination-card.tsx';
import {
  cancelWords,
  deleteWords,
  type Export,
  isActive,
  takesDestination,
  waitsForUser,
} from './export-words.ts';
import { fileOf, forgetExport, keepExport, refreshExports } from './use-export.ts';

type Asked = 'cancel' | 'delete' | 'destination';

/** The actions for an export. */
export function ExportActions({ record }: { readonly record: Export }) {
  const [asked, setAsked] = useState<Asked>();
  const { export_id: exportId, target, status } = record;
  const isPush = target !== 'csv';
  const close = () => setAsked(undefined);
  return (
    <>
      {target === 'csv' && status === 'succeeded' && (
        <DownloadLink look="primary" href={fileOf(exportId)}>
          Download file
        </DownloadLink>
      )}
      {isPush && isActive(record) && <PauseOrResume record={record} />}
      {isActive(record) && (
        <Button onClick={() => setAsked('cancel')}>
          <X size={16} aria-hidden />
          Cancel {isPush ? 'push' : 'export'}
        </Button>
      )}
      <Menu
        trigger={
          <IconButton name="More actions">
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        }
      >
        {takesDestination(record) && (
          <MenuItem onSelect={() => setAsked('destination')}>
            <Send size={16} aria-hidden />
            {isActive(record) ? 'Send the rest to another webhook' : 'Send undelivered rows'}
          </MenuItem>
        )}
        <MenuItem onSelect={() => setAsked('delete')}>
          <Trash2 size={16} aria-hidden />
          Delete
        </MenuItem>
      </Menu>
      <CancelDialog record={record} open={asked === 'cancel'} onClose={close} />
      <DeleteDialog record={record} open={asked === 'delete'} onClose={close} />
      {takesDestination(record) && (
        <DestinationDialog record={record} open={asked === 'destination'} onClose={close} />
      )}
    </>
  );
}

/**
 * Pauses or resumes an export. Only a user's pause needs a user to resume; an export that waits for its receiver can be
 * paused too.
 */
function PauseOrResume({ record }: { readonly record: Export }) {
  const params = { path: { export_id: record.export_id } };
  const pause = $api.useMutation('post', '/exports/{export_id}/pause', { onSuccess: keepExport });
  const resume = $api.useMutation('post', '/exports/{export_id}/resumption', { onSuccess: keepExport });
  const failed = [pause, resume].find(({ isError }) => isError);
  return (
    <>
      <PauseButton
        isPaused={waitsForUser(record)}
        busy={pause.isPending || resume.isPending}
        onPause={() => pause.mutate({ params })}
        onResume={() => resume.mutate({ params })}
      />
      {failed && <Failure error={failed.error} />}
    </>
  );
}

interface AskProps {
  readonly record: Export;
  readonly open: boolean;
  readonly onClose: () => void;
}

function CancelDialog({ record, open, onClose }: AskProps) {
  return (
    <Confirm
      title={record.target === 'csv' ? 'Cancel this export?' : 'Cancel this push?'}
      lead={cancelWords(record)}
      otherwise={record.target === 'csv' ? 'Keep exporting' : 'Keep pushing'}
      verb={record.target === 'csv' ? 'Cancel export' : 'Cancel push'}
      isDanger
      open={open}
      onOpenChange={onClose}
      onConfirm={async () => {
        const path = { export_id: record.export_id };
        const { data } = await api.POST('/exports/{export_id}/cancellation', { params: { path } });
        if (data) keepExport(data);
        await refreshExports();
      }}
    />
  );
}

function DeleteDialog({ record, open, onClose }: AskProps) {
  const navigate = useNavigate();
  return (
    <Confirm
      title={record.target === 'csv' ? 'Delete this export?' : 'Delete this push?'}
      lead={deleteWords(record)}
      verb="Delete"
      isDanger
      open={open}
      onOpenChange={onClose}
      onConfirm={async () => {
        await api.DELETE('/exports/{export_id}', { params: { path: { export_id: record.export_id } } });
        await refreshExports();
        await navigate({ to: '/exports', search: { status: undefined, target: undefined } });
        forgetExport(record.export_id);
        announce(`“${record.name}” deleted.`);
      }}
    />
  );
}
