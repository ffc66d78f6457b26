import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { downloadFile } from '../../api/download-file.ts'
import type { BatchObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { BatchProgress } from './batch-progress.tsx'
import { NewBatchDialog } from './new-batch-dialog.tsx'
import { batchesPath } from './paths.ts'

const whileWorkingMs = 1_500
const isWorking = ({ status }: BatchObject): boolean =>
  ['validating', 'in_progress', 'finalizing', 'cancelling'].includes(status)

export function BatchesPage() {
  const { project } = useProject()
  const [isBusy, setIsBusy] = useState(false)
  const [isMaking, setIsMaking] = useState(false)
  const list = useList<BatchObject>({
    path: batchesPath,
    project: project.id,
    refetchMs: isBusy && whileWorkingMs,
  })
  const stillBusy = list.items?.some(isWorking) ?? false
  if (stillBusy !== isBusy) setIsBusy(stillBusy)
  const cancel = useChange(
    ({ id }: BatchObject) => ask(`${batchesPath}/${id}/cancel`, { method: 'POST', project: project.id }),
    [batchesPath],
  )
  const download = useChange(
    ({ file, name }: { file: string; name: string }) => downloadFile(file, name, project.id),
    [],
  )
  const columns: Column<BatchObject>[] = [
    { title: 'Id', show: ({ id }) => <code>{id}</code> },
    { title: 'Endpoint', show: ({ endpoint }) => <code>{endpoint}</code> },
    { title: 'Progress', show: (batch) => <BatchProgress batch={batch} /> },
    { title: 'Made', show: ({ created_at }) => <Time seconds={created_at} /> },
    {
      title: 'Actions',
      show: (batch) => (
        <div className="actions">
          {batch.output_file_id !== null && (
            <Save what="Results" batch={batch} file={batch.output_file_id} save={download.mutate} />
          )}
          {batch.error_file_id !== null && (
            <Save what="Errors" batch={batch} file={batch.error_file_id} save={download.mutate} />
          )}
          {isWorking(batch) && batch.status !== 'cancelling' && (
            <button
              type="button"
              className="danger small"
              aria-label={`Cancel ${batch.id}`}
              onClick={() => cancel.mutate(batch)}
            >
              Cancel
            </button>
          )}
        </div>
      ),
    },
  ]
  return (
    <>
      <PageHead title="Batches" about="Many requests of a file, answered by and by at half the price.">
        <button type="button" className="primary" onClick={() => setIsMaking(true)}>
          Make a batch
        </button>
      </PageHead>
      <ListTable
        name="Batches"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="There are no batches yet. A file of requests becomes one:" code={example} />}
      />
      {isMaking && <NewBatchDialog onClose={() => setIsMaking(false)} />}
    </>
  )
}

interface SaveProps {
  what: 'Results' | 'Errors'
  batch: BatchObject
  file: string
  save(given: { file: string; name: string }): void
}

const Save = ({ what, batch: { id }, file, save }: SaveProps) => (
  <button
    type="button"
    className="small"
    aria-label={`Save the ${what.toLowerCase()} of ${id}`}
    onClick={() => save({ file, name: `${id}-${what.toLowerCase()}.jsonl` })}
  >
    {what}
  </button>
)

const example = `cat > requests.jsonl <<'END'
{"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "atoll-chat", "messages": [{"role": "user", "content": "Hello."}]}}
END
curl ${location.origin}/v1/files -H "Authorization: Bearer $OPENAI_API_KEY" -F purpose=batch -F file=@requests.jsonl`
