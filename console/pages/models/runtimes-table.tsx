import { ask } from '../../api/client.ts'
import type { RuntimeObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { runtimesPath } from './use-runtimes.ts'

const tones = { loaded: 'good', ready: '', unavailable: 'bad' }

export function RuntimesTable({ runtimes }: { runtimes: RuntimeObject[] }) {
  const change = useChange(
    ({ id, action }: { id: string; action: 'load' | 'unload' }) =>
      ask(`${runtimesPath}/${encodeURIComponent(id)}/${action}`, { method: 'POST' }),
    [runtimesPath],
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by the keyboard
    <section className="table-frame" aria-label="Runtimes" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">State</th>
            <th scope="col">Answers now</th>
            <th scope="col">Waiting</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {runtimes.map(({ id, kind, file, status, problem, running, waiting, is_loadable }) => (
            <tr key={id}>
              <td>
                <code>{id}</code>
                {file !== null && <div className="muted long">{file}</div>}
              </td>
              <td>{kind}</td>
              <td>
                <span className={`tag ${tones[status]}`}>{status}</span>
                {problem !== null && <div className="wrong long">{problem}</div>}
              </td>
              <td>{running}</td>
              <td>{waiting}</td>
              <td>
                {is_loadable && (
                  <button
                    type="button"
                    className="small"
                    disabled={change.isPending}
                    aria-label={`${buttonText(change.isPending && change.variables.id === id, status)} ${id}`}
                    onClick={() => change.mutate({ id, action: status === 'loaded' ? 'unload' : 'load' })}
                  >
                    {buttonText(change.isPending && change.variables.id === id, status)}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function buttonText(isBusy: boolean, status: RuntimeObject['status']): string {
  if (status === 'loaded') return isBusy ? 'Unloading …' : 'Unload'
  return isBusy ? 'Loading …' : 'Load'
}
