import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { ModelFileList, ModelFileObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { Failure } from '../../parts/failure.tsx'
import { sizeText } from '../../parts/texts.ts'
import { Waiting } from '../../parts/waiting.tsx'

const path = '/v1/organization/model_files'
const whilePullingMs = 1_000
const isWorking = ({ status }: ModelFileObject): boolean => status === 'pulling' || status === 'checking'

/** What is in the models folder, and what can be brought there by name. */
export function ModelFiles() {
  const { data, error, refetch } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => ask<ModelFileList>(path, { signal }),
    refetchInterval: ({ state }) => state.data?.data.some(isWorking) === true && whilePullingMs,
  })
  const change = useChange(
    ({ id, action }: { id: string; action: 'pull' | 'cancel' }) =>
      ask(`${path}/${encodeURIComponent(id)}/${action}`, { method: 'POST' }),
    [path],
  )
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="files of models" />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by the keyboard
    <section className="table-frame" aria-label="Files of models" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Size</th>
            <th scope="col">Licence</th>
            <th scope="col">State</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {data.data.map((file) => (
            <tr key={file.id}>
              <td>
                <code>{file.id}</code>
                {file.description !== null && <div className="muted long">{file.description}</div>}
              </td>
              <td className="nowrap">{file.bytes === null ? '' : sizeText(file.bytes)}</td>
              <td>{file.license}</td>
              <td>
                <State file={file} />
              </td>
              <td>
                <Action file={file} act={(action) => change.mutate({ id: file.id, action })} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function State({ file: { id, status, bytes, fetched_bytes, problem } }: { file: ModelFileObject }) {
  const share = bytes === null || bytes === 0 ? 0 : Math.floor((fetched_bytes / bytes) * 100)
  return (
    <>
      <span className={status === 'installed' ? 'tag good' : 'tag'}>{status}</span>{' '}
      {(status === 'pulling' || status === 'partial') && (
        <span className="nowrap">
          <progress value={share} max={100} aria-label={`Download of ${id}`} /> {share} %
        </span>
      )}
      {problem !== null && <div className="wrong long">{problem}</div>}
    </>
  )
}

function Action({ file, act }: { file: ModelFileObject; act(action: 'pull' | 'cancel'): void }) {
  if (file.status === 'installed' || file.status === 'checking') return null
  const isPulling = file.status === 'pulling'
  const name = isPulling ? 'Stop' : file.status === 'partial' ? 'Go on' : 'Pull'
  return (
    <button
      type="button"
      className={isPulling ? 'danger small' : 'small'}
      aria-label={`${name} ${file.id}`}
      onClick={() => act(isPulling ? 'cancel' : 'pull')}
    >
      {name}
    </button>
  )
}
