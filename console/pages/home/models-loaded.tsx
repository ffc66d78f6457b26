import type { ServerState } from './use-server.ts'

export function ModelsLoaded({ models }: { models: ServerState['models'] }) {
  return (
    <section className="card">
      <h2>Models in memory</h2>
      {models.length === 0 ? (
        <p className="muted">None now. A model is loaded by the first call, and leaves when it is idle.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>Runtime</th>
              <th>Answers now</th>
              <th>Waiting</th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ name, running, waiting }) => (
              <tr key={name}>
                <td className="mono">{name}</td>
                <td>{running}</td>
                <td>{waiting}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
