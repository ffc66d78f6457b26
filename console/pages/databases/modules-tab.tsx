import { sendTo } from '../../api/service-client.ts'
import type { ModuleObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { moduleText } from './cluster.ts'

export function ModulesTab() {
  const { data, error, refetch } = useService<ModuleObject[]>('cluster', '/v1/modules')
  const change = useServiceChange('cluster')
  const confirm = useConfirm()
  const remove = async (module: ModuleObject) => {
    const text = 'A module that a database has cannot be deleted. It can be uploaded again.'
    if (!(await confirm({ title: `Delete ${moduleText(module)}?`, text, action: 'Delete it' }))) return
    change.mutate({ path: `/v2/modules/${encodeURIComponent(module.uid)}`, method: 'DELETE' })
  }
  const columns: Column<ModuleObject>[] = [
    { title: 'Module', show: ({ module_name }) => <span className="long">{module_name}</span> },
    { title: 'Version', show: ({ semantic_version }) => semantic_version },
    { title: 'Needs Redis', show: ({ min_redis_version }) => min_redis_version },
    {
      title: 'Actions',
      show: (module) => (
        <button
          type="button"
          className="danger small"
          aria-label={`Delete ${moduleText(module)}`}
          onClick={() => remove(module)}
        >
          Delete
        </button>
      ),
    },
  ]
  return (
    <>
      <UploadForm />
      <SimpleTable
        name="Modules"
        items={data}
        error={error}
        again={refetch}
        columns={columns}
        idOf={({ uid }) => uid}
        empty={<Empty title="There are no modules." code="./atoll cluster modules upload module.zip" />}
      />
    </>
  )
}

function UploadForm() {
  const say = useToast()
  const upload = useChange(
    async (file: File) => {
      const body = new FormData()
      body.append('module', file)
      return (await (await sendTo('cluster', '/v2/modules', { method: 'POST', body })).json()) as ModuleObject
    },
    ['cluster'],
  )
  const send = (file: File | undefined) =>
    file && upload.mutate(file, { onSuccess: (module) => say(`${moduleText(module)} is here.`) })
  return (
    <div className="filters">
      <label className="field">
        <span>Upload a module (a zip file with module.json and the shared object)</span>
        <input
          type="file"
          accept=".zip,application/zip"
          disabled={upload.isPending}
          onChange={({ target }) => {
            send(target.files?.[0])
            target.value = ''
          }}
        />
      </label>
      <p className="muted" role="status">
        {upload.isPending ? 'Uploading …' : ''}
      </p>
    </div>
  )
}
