import type { ServerSetting } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'

export function SettingsTable({ settings }: { settings: ServerSetting[] }) {
  if (settings.length === 0) {
    return <Empty title="No setting fits. They are set by flags, variables or a file:" code={example} />
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
    <section className="table-frame settings-table" aria-label="Configuration" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {settings.map(({ id, value, source }) => (
            <tr key={id}>
              <td>
                <code>{id}</code>
              </td>
              <td>
                {value === null ? <span className="tag">hidden</span> : <span className="mono long">{value}</span>}
              </td>
              <td>
                {source === null ? <span className="muted">default</span> : <span className="long">{source}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const example = `./atoll up --port 8080
ATOLL_LOG_LEVEL=debug ./atoll up
./atoll up --config atoll.yaml`
