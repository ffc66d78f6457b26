import { useState } from 'react'
import type { ModelRow } from './model-row.ts'

interface Props {
  rows: ModelRow[]
  test(model: string): void
  showsRuntimes: boolean
}

/** Many ids may lead to one runtime: they are searched here, since the list comes whole. */
export function ModelsTable({ rows, test, showsRuntimes }: Props) {
  const [sought, setSought] = useState('')
  const shown = rows.filter(({ id, runtime }) => `${id} ${runtime?.id ?? ''}`.includes(sought.trim().toLowerCase()))
  return (
    <>
      <div className="filters">
        <label className="field">
          <span>Find a model</span>
          <input type="search" maxLength={256} value={sought} onChange={({ target }) => setSought(target.value)} />
        </label>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
      <section className="table-frame models-table" aria-label="Models" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Id</th>
              <th scope="col">For</th>
              {showsRuntimes && <th scope="col">Runs on</th>}
              <th scope="col">Of</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.id}>
                <td>
                  <code>{row.id}</code>
                </td>
                <td>
                  {row.serves.map((one) => (
                    <span key={one} className="tag">
                      {one.replace('_', ' ')}
                    </span>
                  ))}
                </td>
                {showsRuntimes && (
                  <td>{row.runtime === undefined ? 'its base model' : <code>{row.runtime.id}</code>}</td>
                )}
                <td>{row.ownedBy}</td>
                <td>
                  {row.serves.includes('chat') && row.runtime?.status !== 'unavailable' && (
                    <button
                      type="button"
                      className="small"
                      aria-label={`Speed test of ${row.id}`}
                      onClick={() => test(row.id)}
                    >
                      Speed test
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.length === 0 && <p className="muted">No model has this in its id.</p>}
    </>
  )
}
