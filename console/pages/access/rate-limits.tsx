import { useState } from 'react'
import type { RateLimitObject } from '../../api/types.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { limitsPath } from './paths.ts'
import { RateLimitDialog } from './rate-limit-dialog.tsx'

const figure = (value: number | undefined): string => (value === undefined ? 'none' : value.toLocaleString('en'))

export function RateLimits({ project }: { project: string }) {
  const path = limitsPath(project)
  const list = useList<RateLimitObject>({ path })
  const [edited, setEdited] = useState<RateLimitObject>()
  const columns: Column<RateLimitObject>[] = [
    { title: 'Model', show: ({ model }) => <code>{model}</code> },
    { title: 'Requests a minute', show: (limit) => figure(limit.max_requests_per_1_minute) },
    { title: 'Tokens a minute', show: (limit) => figure(limit.max_tokens_per_1_minute) },
    { title: 'Pictures a minute', show: (limit) => figure(limit.max_images_per_1_minute) },
    { title: 'Requests a day', show: (limit) => figure(limit.max_requests_per_1_day) },
    {
      title: 'Actions',
      show: (limit) => (
        <button
          type="button"
          className="small"
          aria-label={`Change the limits of ${limit.model}`}
          onClick={() => setEdited(limit)}
        >
          Change
        </button>
      ),
    },
  ]
  return (
    <>
      <ListTable name="Rate limits" list={list} columns={columns} idOf={({ id }) => id} empty={null} />
      {edited !== undefined && (
        <RateLimitDialog key={edited.id} path={path} limit={edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}
