// What lies in a container, also in one that does not run.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { sendTo } from '../../api/service-client.ts'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { sizeText } from '../../parts/texts.ts'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toast.tsx'
import { at } from './engine.ts'
import { readTar, type TarEntry } from './read-tar.ts'
import { saveArchive } from './save-archive.ts'

const archive = (id: string, path: string): string => at(id, `/archive?path=${encodeURIComponent(path)}`)

const isDirect = (path: string): boolean => /^[^/]+\/?$/.test(path)

async function readFolder(id: string, path: string, signal: AbortSignal) {
  const { body } = await sendTo('engine', archive(id, path), { signal })
  const { entries, isCut } = body === null ? { entries: [], isCut: false } : await readTar(body, isDirect)
  entries.sort(
    (one, other) => Number(other.kind === 'folder') - Number(one.kind === 'folder') || (one.path < other.path ? -1 : 1),
  )
  return { entries, isCut }
}

const nameIn = ({ path }: TarEntry): string => path.replace(/\/$/, '')

export function FilesView({ id, name }: { id: string; name: string }) {
  const [folder, setFolder] = useState('/')
  const say = useToast()
  const { data, error, refetch } = useQuery({
    queryKey: ['engine files', id, folder],
    queryFn: ({ signal }) => readFolder(id, folder, signal),
  })
  const below = (entry: TarEntry): string => `${folder === '/' ? '' : folder}/${nameIn(entry)}`
  const save = (path: string) =>
    saveArchive(archive(id, path), path.split('/').at(-1) || name).catch((problem: unknown) =>
      say(messageOf(problem), 'bad'),
    )
  const columns: Column<TarEntry>[] = [
    {
      title: 'Name',
      show: (entry) =>
        entry.kind === 'folder' ? (
          <button type="button" className="quiet small long" onClick={() => setFolder(below(entry))}>
            {nameIn(entry)}/
          </button>
        ) : (
          <span className="long">{nameIn(entry)}</span>
        ),
    },
    { title: 'Size', show: ({ kind, bytes }) => (kind === 'file' ? sizeText(bytes) : kind) },
    { title: 'Changed', show: ({ modified }) => <Time seconds={modified} /> },
    {
      title: 'Actions',
      show: (entry) => (
        <button
          type="button"
          className="small"
          aria-label={`Download ${nameIn(entry)}`}
          onClick={() => save(below(entry))}
        >
          Download
        </button>
      ),
    },
  ]
  return (
    <>
      <FolderForm key={folder} folder={folder} open={setFolder} save={() => save(folder)} />
      {data?.isCut && <p className="muted">This folder holds very much: what came late in its archive is not shown.</p>}
      <SimpleTable
        name="Files"
        items={data?.entries}
        error={error}
        again={refetch}
        columns={columns}
        idOf={({ path }) => path}
        empty={<Empty title="This folder is empty." code={`docker cp file.txt ${name}:${folder}`} />}
      />
    </>
  )
}

interface FolderProps {
  folder: string
  open(folder: string): void
  save(): void
}

function FolderForm({ folder, open, save }: FolderProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    open(tidy(String(new FormData(event.currentTarget).get('folder'))))
  }
  return (
    <form className="filters" onSubmit={submit}>
      <label className="field grow">
        <span>Folder</span>
        <input name="folder" className="mono" defaultValue={folder} maxLength={4096} />
      </label>
      <button type="submit">Open</button>
      <button type="button" disabled={folder === '/'} onClick={() => open(tidy(folder.replace(/\/[^/]*$/, '')))}>
        Up
      </button>
      <button type="button" onClick={save}>
        Download all of it
      </button>
    </form>
  )
}

const tidy = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`
