import { type FormEvent, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { jsonLines } from '../../api/json-lines.ts'
import { sendTo } from '../../api/service-client.ts'
import { useChange } from '../../api/use-change.ts'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { sizeText } from '../../parts/texts.ts'
import { Time } from '../../parts/time.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { type ImageSummary, shortId } from './engine.ts'

const tagOf = ({ RepoTags, Id }: ImageSummary): string => RepoTags?.[0] ?? shortId(Id)

export function ImagesTab() {
  const { data, error, refetch } = useService<ImageSummary[]>('engine', '/images/json')
  const change = useServiceChange('engine')
  const confirm = useConfirm()
  const remove = async (image: ImageSummary) => {
    const text = 'Containers that use it keep it from being removed. It can be pulled or built again.'
    if (!(await confirm({ title: `Remove ${tagOf(image)}?`, text, action: 'Remove it' }))) return
    change.mutate({ path: `/images/${encodeURIComponent(tagOf(image))}`, method: 'DELETE' })
  }
  const columns: Column<ImageSummary>[] = [
    { title: 'Tags', show: ({ RepoTags }) => <span className="long">{RepoTags?.join(', ') ?? 'none'}</span> },
    { title: 'Id', show: ({ Id }) => <code>{shortId(Id)}</code> },
    { title: 'Size', show: ({ Size }) => sizeText(Size) },
    { title: 'Made', show: ({ Created }) => <Time seconds={Created} /> },
    {
      title: 'Actions',
      show: (image) => (
        <button
          type="button"
          className="danger small"
          aria-label={`Remove ${tagOf(image)}`}
          onClick={() => remove(image)}
        >
          Remove
        </button>
      ),
    },
  ]
  return (
    <>
      <PullForm />
      <SimpleTable
        name="Images"
        items={data}
        error={error}
        again={refetch}
        columns={columns}
        idOf={({ Id }) => Id}
        empty={<Empty title="There are no images." code={'docker pull alpine\ndocker build -t mine .'} />}
      />
    </>
  )
}

interface Progress {
  id?: string
  status?: string
  error?: string
  progressDetail?: { current?: number; total?: number }
}

function PullForm() {
  const [name, setName] = useState('')
  const [said, setSaid] = useState('')
  const pull = useChange(
    async (image: string) => {
      const { body } = await sendTo('engine', `/images/create?fromImage=${encodeURIComponent(withTag(image))}`, {
        method: 'POST',
      })
      if (body === null) return
      for await (const progress of jsonLines<Progress>(body)) {
        if (progress.error !== undefined) throw new Error(progress.error)
        setSaid(wordsOf(progress))
      }
    },
    ['engine'],
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    pull.mutate(name.trim(), { onSettled: (_, error) => setSaid(error ? messageOf(error) : `${name} is here.`) })
  }
  return (
    <form className="filters" onSubmit={submit}>
      <label className="field grow">
        <span>Pull an image</span>
        <input
          required
          maxLength={300}
          placeholder="alpine:3"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <button type="submit" className="primary" disabled={pull.isPending}>
        Pull
      </button>
      <p className="muted long" role="status">
        {said}
      </p>
    </form>
  )
}

const withTag = (image: string): string => (/[:@][^/]*$/.test(image) ? image : `${image}:latest`)

function wordsOf({ id, status = '', progressDetail: { current, total } = {} }: Progress): string {
  const share = current !== undefined && total ? ` ${Math.round((current / total) * 100)} %` : ''
  return `${id === undefined ? '' : `${id}: `}${status}${share}`
}
