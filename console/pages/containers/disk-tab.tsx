// What lies on the disk, and what could go: nothing is removed before it was shown how much that frees.
import { useConfirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { sizeText } from '../../parts/texts.ts'
import { useToast } from '../../parts/toast.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { type DiskUsage, type Pile, pilesOf } from './disk-usage.ts'

export function DiskTab() {
  const { data, error, refetch } = useService<DiskUsage>('engine', '/system/df', 10_000)
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="what lies on the disk" />
  const columns: Column<Pile>[] = [
    { title: 'What', show: ({ title }) => title },
    { title: 'How many', show: ({ count }) => count },
    { title: 'Not in use', show: ({ unused }) => unused },
    { title: 'On the disk', show: ({ bytes }) => sizeText(bytes) },
    { title: 'Would free', show: ({ freed }) => sizeText(freed) },
    { title: 'Actions', show: (pile) => pile.unused > 0 && <PruneButton pile={pile} /> },
  ]
  return <SimpleTable name="Disk" items={pilesOf(data)} columns={columns} idOf={({ title }) => title} empty={null} />
}

function PruneButton({ pile: { title, what, path, unused, freed } }: { pile: Pile }) {
  const change = useServiceChange<{ SpaceReclaimed?: number }>('engine')
  const confirm = useConfirm()
  const say = useToast()
  const prune = async () => {
    const text = `Would be removed: ${what} (${unused}). That frees ${sizeText(freed)}. This cannot be undone.`
    if (!(await confirm({ title: `Prune ${title.toLowerCase()}?`, text, action: 'Prune them' }))) return
    change.mutate({ path }, { onSuccess: (done) => say(`Freed ${sizeText(done?.SpaceReclaimed ?? 0)}.`) })
  }
  return (
    <button
      type="button"
      className="danger small"
      onClick={prune}
      disabled={change.isPending}
      aria-label={`Prune ${title}`}
    >
      Prune
    </button>
  )
}
