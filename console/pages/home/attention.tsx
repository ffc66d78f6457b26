import type { ServerState } from './use-server.ts'

/** What somebody should look at; nothing is good news. */
export function Attention({ server }: { server: ServerState }) {
  const notes = notesOf(server)
  return (
    <section className="card">
      <h2>Needs attention</h2>
      {notes.length === 0 ? (
        <p className="muted">Nothing.</p>
      ) : (
        <ul className="plain">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

const littleRoom = 0.05

function notesOf({ readiness, failed, jobs, models, activity: { disk } }: ServerState): string[] {
  const notes = Object.entries(readiness.absent ?? {}).map(([name, reason]) => `${name} does not run: ${reason}`)
  if (readiness.reason !== undefined) notes.unshift(`The server is not ready: ${readiness.reason}`)
  if (failed > 0) notes.push(`${failed} requests ended with an error of the server since its start; its log says why.`)
  if (disk.free_bytes < disk.total_bytes * littleRoom)
    notes.push('The disk is nearly full: what is written may fail soon.')
  if (jobs.dead > 0) notes.push(`${jobs.dead} jobs were given up after several attempts; the log says why.`)
  for (const { name, waiting } of models) {
    if (waiting > 0) notes.push(`${waiting} calls wait for ${name}.`)
  }
  return notes
}
